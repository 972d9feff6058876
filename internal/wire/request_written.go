package wire

import (
	"strconv"

	"frontdesk/internal/desk"
)

// RequestForm is one of the forms in which requests are shown.
type RequestForm int

const (
	ByID    RequestForm = iota // as NewRequest has it
	Listed                     // as NewListedRequest has it
	OfNone                     // as NewRequestOfNone has it
	rowPart                    // what is the same in all of them: a part of what lists show
)

var requestForms = [...]func(desk.Request) Request{ByID: NewRequest, Listed: NewListedRequest, OfNone: NewRequestOfNone}

// AppendRequest writes a request behind b. Of one that is kept in memory all that
// is the same to everybody is written once and kept beside it; what is left to write
// is what belongs to one reader and one moment, and what was asked for besides.
func AppendRequest(b []byte, r desk.Request, form RequestForm) ([]byte, error) {
	row := r.Row
	if row == nil || row.Written == nil {
		return AppendJSON(b, requestForms[form](r))
	}
	head, err := once(row.Written, form, func() any {
		bare := r
		bare.Row, bare.Messages, bare.Children, bare.MergedInto = nil, nil, nil, nil
		return requestForms[form](bare)
	})
	if err != nil {
		return b, err
	}
	part, err := once(row.Written, rowPart, func() any {
		var w Request
		w.addRow(r)
		return struct {
			Customer    *customerRef `json:"customer"`
			LastMessage *LastMessage `json:"last_message"`
		}{w.Customer, w.LastMessage}
	})
	if err != nil {
		return b, err
	}
	b = append(append(b, '{'), head...)
	b = strconv.AppendBool(append(b, `,"unread":`...), row.Unread)
	b = append(append(b, ','), part...)
	b = appendDue(append(b, `,"next_due":`...), row.Due)
	if r.Messages != nil {
		if b, err = AppendJSON(append(b, `,"messages":`...), each(r.Messages, NewMessage)); err != nil {
			return b, err
		}
	}
	if r.Children != nil {
		b = appendID(append(b, `,"parent_request":`...), r.Parent)
		if b, err = AppendJSON(append(b, `,"child_requests":`...), r.Children); err != nil {
			return b, err
		}
	}
	if r.MergedInto != nil {
		b = appendID(append(b, `,"merged_into":`...), r.MergedInto)
	}
	return append(b, '}'), nil
}

// once is the inside of an object, written at the first time.
func once(kept *desk.Written, form RequestForm, object func() any) ([]byte, error) {
	if text := kept[form].Load(); text != nil {
		return *text, nil
	}
	text, err := JSON(object())
	if err != nil {
		return nil, err
	}
	text = append(make([]byte, 0, len(text)-2), text[1:len(text)-1]...) // without what the encoder had room for
	kept[form].Store(&text)
	return text, nil
}

func appendID(b []byte, id *desk.RequestID) []byte {
	if id == nil {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(*id), 10)
}

// appendDue writes what a DueSLA is. Kinds and times need no escaping.
func appendDue(b []byte, d *desk.DueSLA) []byte {
	if d == nil {
		return append(b, "null"...)
	}
	b = append(append(b, `{"kind":"`...), d.Kind...)
	b = append(append(b, `","due_at":"`...), NewTime(d.At)...)
	b = strconv.AppendBool(append(b, `","is_breached":`...), d.Breached)
	return append(b, '}')
}

// Requests are requests in a list, each in the same form.
type Requests struct {
	Items []desk.Request
	Form  RequestForm
}

// AppendJSON writes the list behind b.
func (l Requests) AppendJSON(b []byte) ([]byte, error) {
	return appendEach(b, l.Items, func(b []byte, r desk.Request) ([]byte, error) { return AppendRequest(b, r, l.Form) })
}

// FoundRequests are the answer to a search, each in the same form.
type FoundRequests struct {
	Items []desk.FoundRequest
	Form  RequestForm
}

// AppendJSON writes the list behind b.
func (l FoundRequests) AppendJSON(b []byte) ([]byte, error) {
	return appendEach(b, l.Items, func(b []byte, f desk.FoundRequest) ([]byte, error) {
		b, err := AppendRequest(b, f.Request, l.Form)
		if err != nil {
			return b, err
		}
		b, err = AppendJSON(append(b[:len(b)-1], `,"highlights":`...), newHighlights(f.Highlights))
		return append(b, '}'), err
	})
}

func appendEach[T any](b []byte, list []T, one func([]byte, T) ([]byte, error)) ([]byte, error) {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = one(b, v); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}
