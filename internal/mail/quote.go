package mail

import (
	"slices"
	"strings"

	"frontdesk/internal/markup"
)

// Written returns what this mail adds to a conversation, as formatted text: without the
// mails that it quotes and without signatures. What stands between quoted lines stays.
// images has the addresses of the mail's inline images, by content id.
//
// If nothing would be left, the mail's text comes back whole, unless it brings files that
// it does not show: then they are what it adds.
func (m Mail) Written(images map[string]string) string {
	p := m.page()
	p.fold(m.isReply(), m.isForward())
	written := markup.Sanitize(p.html(images))
	if written != "" || slices.ContainsFunc(m.Files, func(f File) bool { return !f.Inline }) {
		return written
	}
	return m.Whole(images)
}

// Whole returns all that the mail says, as formatted text.
func (m Mail) Whole(images map[string]string) string { return markup.Sanitize(m.page().html(images)) }

// page returns the mail's text as a page, from HTML if there is any that says something.
func (m Mail) page() page {
	if m.HTML != "" {
		p := readPage(m.HTML)
		for _, l := range p.lines {
			if !l.blank() {
				return p
			}
		}
	}
	return readText(m.Text)
}

// readText reads plain text. Its lines stay lines, and addresses become links.
func readText(text string) page {
	var p page
	for s := range strings.SplitSeq(text, "\n") {
		var l line
		l.addWords(s)
		l.complete()
		p.lines = append(p.lines, l)
	}
	p.bits = textBits(text)
	return p
}

// line is a line as people see it.
type line struct {
	text    string // its beginning, with single spaces
	picture bool   // it has an image
	rule    bool   // it is a rule across the page

	// What its program says about it.
	quoted      bool // part of an earlier mail
	maybeQuoted bool // quoted if somebody is said to have written it
	signature   bool
	history     bool // here begins the earlier mail, to the end
	introduces  bool // says who wrote what is quoted next

	drop bool
}

// mostLine is how much of a line is looked at. What says something about a line is
// shorter.
const mostLine = 600

// addWords adds to the text of a line. Its spaces become single ones when it is complete.
func (l *line) addWords(s string) {
	if len(l.text) < mostLine {
		l.text += s[:min(len(s), mostLine)]
	}
}

// complete ends the text of a line.
func (l *line) complete() { l.text = strings.Join(strings.Fields(l.text), " ") }

func (l *line) blank() bool {
	return !l.picture && !l.rule && strings.Trim(l.text, blankCharacters) == ""
}

const blankCharacters = " \t\u00a0\u200b\u200c\u200d\u2060\ufeff\u034f\u00ad"

// What known programs call the elements around a quote or a signature.
var (
	quoteClasses        = words("gmail_quote", "protonmail_quote", "tutanota_quote") // of a blockquote
	wholeQuoteClasses   = words("yahoo_quoted", "zmail_extra")                       // with the line that says who wrote it
	introductionClasses = words("gmail_attr", "moz-cite-prefix")
	signatureClasses    = words("gmail_signature", "gmail_signature_prefix", "moz-signature", "protonmail_signature_block", "tutanota_signature")
	signatureIDs        = words("Signature", "AppleMailSignature", "ms-outlook-mobile-signature")
	historyIDs          = words("appendonsend", "divRplyFwdMsg", "mail-editor-reference-message-container", "zwchr")
)

// meaning returns what an element says about its lines; whole means that it says it
// about all of them, and otherwise only about the next one.
func meaning(name string, attr map[string]string) (mark func(*line), whole bool) {
	id := attr["id"]
	has := func(classes map[string]bool) bool {
		for class := range strings.FieldsSeq(attr["class"]) {
			if classes[class] {
				return true
			}
		}
		return false
	}
	switch {
	case name == "blockquote":
		if strings.EqualFold(attr["type"], "cite") || attr["cite"] != "" || has(quoteClasses) {
			return func(l *line) { l.quoted = true }, true
		}
		return func(l *line) { l.maybeQuoted = true }, true
	case has(wholeQuoteClasses), attr["name"] == "quote": // the name is GMX's
		return func(l *line) { l.quoted = true }, true
	case has(introductionClasses):
		return func(l *line) { l.introduces = true }, true
	case has(signatureClasses), signatureIDs[id]:
		return func(l *line) { l.signature = true }, true
	case historyIDs[id], outlookHeader(attr["style"]):
		return func(l *line) { l.history = true }, false
	}
	return nil, false
}

// outlookHeader reports whether an element has the line above it with which Outlook
// divides an answer from what is answered, in every language.
func outlookHeader(style string) bool {
	style = strings.ToLower(strings.Join(strings.Fields(style), ""))
	return strings.Contains(style, "border-top:solid#e1e1e1") || strings.Contains(style, "border-top:solid#b5c4df")
}

// fold drops the lines that are quoted and those that are a signature.
//
//  1. Lines are quoted if their element says so or, in a reply, if they begin with >.
//     The line before them that says who wrote them goes with them.
//  2. Some programs do not mark what they quote. They write a line or a header above it
//     (-----Original Message-----, or From, Sent, To, Subject), and then the quoted mail
//     is all that follows, unless it is marked after all.
//  3. A forwarded mail is what its sender wants us to read. From there on all stays.
//  4. A signature begins with "-- ", or is marked by its element, and ends where quoted
//     lines begin. A last line like "Sent from my phone" is one, too.
func (p *page) fold(reply, forward bool) {
	f := folder{lines: p.lines, reply: reply, lastQuoted: -1}
	f.findQuotes()
	end := f.findEnd(forward)
	f.dropUntil(end)
	f.dropLastWords(end)
}

// folder folds the lines of a mail.
type folder struct {
	lines      []line
	reply      bool
	quotes     int // the first line that may be quoted
	lastQuoted int // and the last, or -1
}

// findQuotes marks the lines that are quoted by sign, and those where somebody is said
// to have written them.
func (f *folder) findQuotes() {
	introduced := f.introduced()
	for i := range f.lines {
		l := &f.lines[i]
		if strings.HasPrefix(l.text, ">") && (f.reply || introduced) {
			l.quoted = true
		}
		if l.quoted || l.maybeQuoted {
			if f.lastQuoted < 0 {
				f.quotes = i
			}
			f.lastQuoted = i
		}
	}
	for i := 0; i < len(f.lines); i++ {
		if !f.lines[i].maybeQuoted {
			continue
		}
		said := f.introduction(i) > 0
		for ; i < len(f.lines) && f.lines[i].maybeQuoted; i++ {
			f.lines[i].quoted = f.lines[i].quoted || said
		}
	}
}

// introduced reports whether a line says that somebody wrote what follows with signs
// before it.
func (f *folder) introduced() bool {
	for i := range f.lines {
		if strings.HasPrefix(f.lines[i].text, ">") {
			return f.introduction(i) > 0
		}
	}
	return false
}

// mostIntroduction is how many lines an introduction may be wrapped into.
const mostIntroduction = 4

// introduction returns how many lines before line i, blank ones included, say who wrote
// what begins there.
func (f *folder) introduction(i int) int {
	last := i - 1
	for last >= 0 && f.lines[last].blank() {
		last--
	}
	if last < 0 || f.lines[last].quoted || f.lines[last].maybeQuoted {
		return 0
	}
	if f.lines[last].introduces {
		first := last
		for first > 0 && f.lines[first-1].introduces {
			first--
		}
		return i - first
	}
	// Between quoted lines, a line that looks a little like an introduction is an answer.
	amid := i > f.quotes && f.lastQuoted >= 0
	joined := ""
	for first := last; first >= 0 && first > last-mostIntroduction; first-- {
		l := f.lines[first]
		if l.blank() || l.quoted {
			break
		}
		joined = strings.TrimSpace(l.text + " " + joined)
		if saysWhoWrote(joined) && (!amid || beginsIntroduction(joined) && strings.Contains(joined, "@")) {
			// The date may be wrapped, and the line before it may have its first words.
			if first > 0 && !beginsIntroduction(joined) && beginsIntroduction(f.lines[first-1].text) && unfinished(f.lines[first-1].text) {
				first--
			}
			return i - first
		}
	}
	if !amid && looksLikeIntroduction(f.lines[last].text) {
		return i - last
	}
	return 0
}

// findEnd returns the line where the mail's own text ends: where an earlier mail begins
// that is not marked line by line, which is dropped, or a forwarded one, which is not.
func (f *folder) findEnd(forward bool) int {
	for i := range f.lines {
		l := &f.lines[i]
		switch {
		case l.blank():
		case forwardLine(l.text) && !l.quoted:
			return i
		case forward && (l.quoted || l.history || l.introduces || f.headerAt(i) > 0):
			return i
		case l.quoted || !f.reply:
		case l.history:
			f.dropFrom(i)
			return len(f.lines)
		case originalLine(l.text) || f.headerAt(i) > 0:
			// Some programs write the header plainly and mark the rest.
			if end := f.afterHeader(i); end < len(f.lines) && f.lines[end].quoted {
				f.drop(i, end)
				continue
			}
			f.dropFrom(i)
			return len(f.lines)
		case f.unmarkedAt(i):
			f.dropFrom(i)
			return len(f.lines)
		}
	}
	return len(f.lines)
}

// unmarkedAt reports whether line i says who wrote what follows, by name and address,
// and nothing that follows is marked as quoted.
func (f *folder) unmarkedAt(i int) bool {
	if f.lastQuoted >= i || !beginsIntroduction(f.lines[i].text) && !beginsWithDigit(f.lines[i].text) {
		return false
	}
	joined := ""
	for end := i; end < len(f.lines) && end < i+mostIntroduction && !f.lines[end].blank(); end++ {
		joined = strings.TrimSpace(joined + " " + f.lines[end].text)
		if strings.Contains(joined, "@") && saysWhoWrote(joined) {
			return true
		}
	}
	return false
}

// headerAt returns how many lines the header of a mail has that begins at line i: From
// and at least two more of its usual lines.
func (f *folder) headerAt(i int) int {
	if headerLabel(f.lines[i].text) != labelFrom {
		return 0
	}
	end, labels := i+1, 1
	for n := end; n < len(f.lines) && n < i+12; n++ {
		if f.lines[n].blank() && labels < 3 {
			continue
		}
		if headerLabel(f.lines[n].text) == labelNone {
			if n > end+1 { // a long list of recipients takes some lines
				break
			}
			continue
		}
		labels++
		end = n + 1
	}
	if labels < 3 {
		return 0
	}
	return end - i
}

// afterHeader returns the line after the header that begins at or just after line i, and
// after the blank lines that follow it.
func (f *folder) afterHeader(i int) int {
	for n := i; n < len(f.lines) && n < i+3; n++ {
		if size := f.headerAt(n); size > 0 {
			i = n + size - 1
			break
		}
	}
	for i++; i < len(f.lines) && f.lines[i].blank(); i++ {
	}
	return i
}

func (f *folder) drop(from, to int) {
	for i := from; i < to; i++ {
		f.lines[i].drop = true
	}
}

// dropFrom drops everything from line i on, and the rule above it.
func (f *folder) dropFrom(i int) {
	f.drop(i, len(f.lines))
	for i--; i >= 0 && (f.lines[i].blank() || f.lines[i].rule || ruleLine(f.lines[i].text)); i-- {
		f.lines[i].drop = true
	}
}

// dropUntil drops quoted lines, what introduces them, and signatures.
func (f *folder) dropUntil(end int) {
	signature := false
	for i := range f.lines[:end] {
		l := &f.lines[i]
		switch {
		case l.quoted:
			signature = false
			f.drop(i, i+1)
			if i > 0 && !f.lines[i-1].quoted {
				f.drop(i-f.introduction(i), i)
			}
		case l.introduces && f.reply:
			signature = false
			l.drop = true
		case delimiterLine(l.text):
			signature = f.signatureAt(i, end)
		}
		if signature || l.signature {
			l.drop = true
		}
	}
}

// mostSignature is how many lines a signature has at most that say something. After
// that, the dashes only divided two parts of a text.
const mostSignature = 20

// signatureAt reports whether what follows line i is short enough for a signature.
func (f *folder) signatureAt(i, end int) bool {
	n := 0
	for _, l := range f.lines[i+1 : end] {
		if l.quoted || l.introduces || n > mostSignature {
			break
		}
		if !l.blank() {
			n++
		}
	}
	return n <= mostSignature
}

// dropLastWords drops what a program writes below an answer: "Sent from my phone", and
// the rule above a signature or a quote.
func (f *folder) dropLastWords(end int) {
	last, aboveDropped := true, false // about the next line that says something
	for i := end - 1; i >= 0; i-- {
		l := &f.lines[i]
		rule := l.rule || ruleLine(l.text)
		switch {
		case l.blank():
		case l.drop:
			aboveDropped = true
		case aboveDropped && rule, (last || aboveDropped) && deviceLine(l.text):
			l.drop, aboveDropped = true, true
		default:
			last, aboveDropped = false, false
		}
	}
}
