package wire

import (
	"strconv"

	"frontdesk/internal/desk"
)

// RequestForm is one of the forms of a request.
type RequestForm int

const (
	ByID    RequestForm = iota // as in NewRequest
	Listed                     // as in NewListedRequest
	OfNone                     // as in NewRequestOfNone
	rowPart                    // the part of the row that is the same in all forms
)

var requestForms = [...]func(desk.Request) Request{ByID: NewRequest, Listed: NewListedRequest, OfNone: NewRequestOfNone}

// AppendRequest appends a request to b. For a request that is cached in memory, the
// part that is the same for everybody is encoded once and cached with it. Only the
// rest is encoded each time: what depends on the reader and the moment, and what
// the caller asked for in addition.
func AppendRequest(b []byte, r desk.Request, form RequestForm) ([]byte, error) {
	row := r.Row
	if row == nil || row.Written == nil {
		return AppendJSON(b, requestForms[form](r))
	}
	head, err := encodeOnce(row.Written, form, func() any {
		bare := r
		bare.Row, bare.Messages, bare.Children, bare.MergedInto = nil, nil, nil, nil
		return requestForms[form](bare)
	})
	if err != nil {
		return b, err
	}
	part, err := encodeOnce(row.Written, rowPart, func() any {
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
	if row.Following {
		b = append(b, `,"following":true`...)
	}
	b = append(append(b, ','), part...)
	b = appendDue(append(b, `,"next_due":`...), row.Due)
	if r.Messages != nil {
		if b, err = AppendJSON(append(b, `,"messages":`...), desk.Each(r.Messages, NewMessage)); err != nil {
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

// encodeOnce returns the inside of an object, without braces. It encodes the object at
// the first call only.
func encodeOnce(kept *desk.Written, form RequestForm, object func() any) ([]byte, error) {
	if text := kept[form].Load(); text != nil {
		return *text, nil
	}
	text, err := JSON(object())
	if err != nil {
		return nil, err
	}
	text = append(make([]byte, 0, len(text)-2), text[1:len(text)-1]...) // without the encoder's spare capacity
	kept[form].Store(&text)
	return text, nil
}

func appendID(b []byte, id *desk.RequestID) []byte {
	if id == nil {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(*id), 10)
}

// appendDue appends a DueSLA to b. Kinds and times need no escaping.
func appendDue(b []byte, d *desk.DueSLA) []byte {
	if d == nil {
		return append(b, "null"...)
	}
	b = append(append(b, `{"kind":"`...), d.Kind...)
	b = append(append(b, `","due_at":"`...), NewTime(d.At)...)
	b = strconv.AppendBool(append(b, `","is_breached":`...), d.Breached)
	return append(b, '}')
}

// Requests is a list of requests in the same form.
type Requests struct {
	Items []desk.Request
	Form  RequestForm
}

// AppendJSON appends the list to b.
func (l Requests) AppendJSON(b []byte) ([]byte, error) {
	return appendEach(b, l.Items, func(b []byte, r desk.Request) ([]byte, error) { return AppendRequest(b, r, l.Form) })
}

// FoundRequests is the answer to a search, with requests in the same form.
type FoundRequests struct {
	Items []desk.FoundRequest
	Form  RequestForm
}

// AppendJSON appends the list to b.
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
