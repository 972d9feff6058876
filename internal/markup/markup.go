// Package markup defines the formatted text of the product: one small HTML subset.
// Everything that comes in (API, mail, chat) is converted to it, and everything
// that goes out is made from it. It keeps what the text says and drops what a page
// could do. It must not know where a text comes from or goes to.
//
// A text is a Document: paragraphs, preformatted text, rules, quotes and lists. A
// paragraph has runs of words with marks, line breaks, images and mentions. Parse
// reads any HTML into a Document, and a Builder makes one step by step. Both return
// only normal form, which is one of all the ways to write the same thing. So code
// that reads a Document has few cases, and a text that was written and read back
// can be compared with the original.
package markup

// Sanitize converts any HTML to the subset. The result has only these elements and
// attributes, is well-formed, and a browser reads it as exactly the tree that it
// was written from:
//
//	p  br  hr  pre  blockquote  ul  ol[start]  li
//	strong  em  u  s  code  a[href rel]  img[src alt]
//	span[data-user | data-channel | data-team | data-everyone]
//
// Other elements become the nearest thing in the subset. Headings become strong
// paragraphs, and rows of a table become lines. An address that we do not link to
// leaves its text. Sanitizing a result again changes nothing.
func Sanitize(html string) string { return Parse(html).HTML() }

// PlainText returns the text as a person would read it from paper. Each paragraph
// is a line, with "• " or "1. " before an item and "> " before a quote. A link
// shows its address if that says more than its text.
func PlainText(html string) string { return Parse(html).Text() }
