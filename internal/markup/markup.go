// Package markup is the formatted text of the product: one small HTML subset,
// which everything that comes in (API, mail, chat) is brought into and
// everything that goes out is made from. It keeps what the text says and drops
// what a page could do. It must not know where a text comes from or goes to.
//
// A text is a Document: paragraphs, preformatted text, rules, quotes and lists;
// in a paragraph runs of words with marks, line breaks, images and mentions.
// Parse reads any HTML into one, a Builder makes one step by step, and both
// give only normal form: of all the ways to write the same thing, one. So
// there are few cases for whoever reads a Document, and whatever it is written
// to and read back from can be compared.
package markup

// Sanitize brings any HTML into the subset. The result holds only these
// elements and attributes, is well-formed, and is read by a browser as the very
// tree it was written from:
//
//	p  br  hr  pre  blockquote  ul  ol[start]  li
//	strong  em  u  s  code  a[href rel]  img[src alt]
//	span[data-user | data-channel | data-team | data-everyone]
//
// What has no place there is brought nearest to it: headings become strong
// paragraphs, rows of a table become lines, an address that we do not link to
// leaves its text. Sanitize of its own result changes nothing.
func Sanitize(html string) string { return Parse(html).HTML() }

// PlainText is the text as a person would read it aloud from paper: a line for
// each paragraph, with "• " or "1. " before an item and "> " before a quote.
// A link shows its address where that says more than its text.
func PlainText(html string) string { return Parse(html).Text() }
