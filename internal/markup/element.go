package markup

// role says what an element does to the text around its content. Elements that are
// not listed do nothing, and their content stays.
type role uint8

const (
	plain    role = iota
	drop          // removed with all of its content
	part          // begins and ends on its own line
	heading       // the same, and strong
	mark          // adds a mark to its content
	block         // contains blocks
	tabular       // part of a table
	anchor        // a
	image         // img
	newline       // br
	rule          // hr
	preserve      // pre
	span          // span: a mention, or nothing
)

type element struct {
	role  role
	mark  Marks
	block BlockKind
}

// elementsByName is the allow-list. Most of the dropped elements would be harmless
// as text, but people are not meant to read them: code, styles, the replacement for
// a video, the options of a form.
var elementsByName = map[string]element{
	"script": {role: drop}, "style": {role: drop}, "iframe": {role: drop}, "object": {role: drop},
	"svg": {role: drop}, "math": {role: drop}, "template": {role: drop}, "title": {role: drop}, "textarea": {role: drop},
	"noscript": {role: drop}, "noembed": {role: drop}, "noframes": {role: drop}, "xmp": {role: drop}, "plaintext": {role: drop},
	"applet": {role: drop}, "audio": {role: drop}, "video": {role: drop}, "canvas": {role: drop}, "frameset": {role: drop},
	"select": {role: drop}, "datalist": {role: drop}, "button": {role: drop},

	"p": {role: part}, "div": {role: part}, "section": {role: part}, "article": {role: part}, "header": {role: part},
	"footer": {role: part}, "main": {role: part}, "aside": {role: part}, "nav": {role: part}, "address": {role: part},
	"figure": {role: part}, "figcaption": {role: part}, "center": {role: part}, "dl": {role: part}, "dt": {role: part},
	"dd": {role: part}, "form": {role: part}, "fieldset": {role: part}, "legend": {role: part}, "details": {role: part},
	"summary": {role: part}, "hgroup": {role: part}, "body": {role: part}, "html": {role: part}, "caption": {role: part},

	"h1": {role: heading}, "h2": {role: heading}, "h3": {role: heading},
	"h4": {role: heading}, "h5": {role: heading}, "h6": {role: heading},

	"strong": {role: mark, mark: Strong}, "b": {role: mark, mark: Strong},
	"em": {role: mark, mark: Em}, "i": {role: mark, mark: Em},
	"u": {role: mark, mark: Underline}, "ins": {role: mark, mark: Underline},
	"s": {role: mark, mark: Strike}, "del": {role: mark, mark: Strike}, "strike": {role: mark, mark: Strike},
	"code": {role: mark, mark: Code}, "kbd": {role: mark, mark: Code}, "samp": {role: mark, mark: Code}, "tt": {role: mark, mark: Code},

	"blockquote": {role: block, block: Quote}, "ul": {role: block, block: Bullets}, "menu": {role: block, block: Bullets},
	"ol": {role: block, block: Numbers}, "li": {role: block, block: Item},
	"table": {role: tabular, block: table}, "tr": {role: tabular, block: row},
	"td": {role: tabular, block: cell}, "th": {role: tabular, block: cell, mark: Strong},

	"a": {role: anchor}, "img": {role: image}, "br": {role: newline}, "hr": {role: rule}, "pre": {role: preserve}, "span": {role: span},
}
