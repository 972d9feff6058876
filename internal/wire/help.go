package wire

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/help"
	"frontdesk/internal/markup"
)

// Summary is a summary of a request on the wire.
type Summary struct {
	HTML  string `json:"html"`
	Notes bool   `json:"includes_notes"`
	Read
}

// Read is how much of a conversation was read for it.
type Read struct {
	Messages  int  `json:"messages_read"`
	LeftOut   int  `json:"messages_left_out"`
	Shortened int  `json:"messages_shortened"`
	At        Time `json:"created_at"`
}

// NewSummary returns the wire form of a summary.
func NewSummary(s help.Summary) Summary {
	return Summary{markup.Outgoing(s.HTML), s.Notes, newRead(s.Read)}
}

func newRead(r help.Read) Read { return Read{r.Messages, r.LeftOut, r.Shortened, NewTime(r.At)} }

// Draft is a drafted reply on the wire.
type Draft struct {
	HTML    string   `json:"html"`
	Sources []Source `json:"sources"`
	Read
}

// Source is what a reply was drafted from, on the wire.
type Source struct {
	Type  help.SourceKind `json:"type"`
	ID    int64           `json:"id"`
	Key   *string         `json:"key"` // null for a quick reply
	Title string          `json:"title"`
}

// NewDraft returns the wire form of a drafted reply.
func NewDraft(d help.Draft) Draft {
	return Draft{markup.Outgoing(d.HTML), desk.Each(d.Sources, func(s help.Source) Source { return Source{s.Kind, s.ID, orNull(s.Key), s.Title} }), newRead(d.Read)}
}

// Translation is a translated text on the wire.
type Translation struct {
	HTML     string  `json:"html"`
	Language *string `json:"language"`
	From     *string `json:"source_language"`
	At       Time    `json:"created_at"`
}

// NewTranslation returns the wire form of a translation.
func NewTranslation(t help.Translation) Translation {
	return Translation{markup.Outgoing(t.HTML), orNull(t.Language), orNull(t.From), NewTime(t.At)}
}
