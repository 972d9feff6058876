package desk

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

// Actions on requests besides creating and updating them, as named in the audit log
// and the history.
const (
	RequestMerged = "request.merged"
	RequestSplit  = "request.split"
	RequestUndone = "request.undone"
)

type HistoryEntryID int64

// HistoryEntry is something that was done to a request, as its history shows it.
type HistoryEntry struct {
	ID      HistoryEntryID // 0 for the creation, which is not a change
	Request RequestID
	At      time.Time
	By      Actor
	Action  string

	// Before and After hold the fields of the request that people change, and its
	// clocks. Lists and values that stayed the same are missing from both.
	Before, After Request
	Links         []FieldChange  // changes in its links to other requests
	Moved         *Moved         // what a merge or a split moved; nil for other actions
	Undoes        HistoryEntryID // the entry that this one undid; 0 for none
	UndoneAt      *time.Time
}

// FieldChange is a field of a request by its API name, before and after, in the
// form in which a change gives it.
type FieldChange struct {
	Field    string
	From, To any
}

// NewHistoryEntry describes what changed between two states of a request.
func NewHistoryEntry(by Actor, action string, before, after Request, now time.Time) HistoryEntry {
	e := HistoryEntry{Request: after.ID, At: now, By: by, Action: action, Before: before.past(), After: after.past()}
	if slices.Equal(e.Before.Tags, e.After.Tags) {
		e.Before.Tags, e.After.Tags = nil, nil
	}
	if slices.Equal(e.Before.Contributors, e.After.Contributors) {
		e.Before.Contributors, e.After.Contributors = nil, nil
	}
	for id, v := range e.Before.Values {
		if w, ok := e.After.Values[id]; ok && v.Equal(w) {
			delete(e.Before.Values, id)
			delete(e.After.Values, id)
		}
	}
	return e
}

// past returns the part of a request that the history keeps.
func (r Request) past() Request {
	return Request{
		Title: r.Title, TitleBy: r.TitleBy, State: r.State, NotARequest: r.NotARequest, Priority: r.Priority, PriorityBy: r.PriorityBy,
		Customer: r.Customer, Assignee: r.Assignee, Team: r.Team, Collection: CollectionRef{ID: r.Collection.ID}, Parent: r.Parent, MergedInto: r.MergedInto,
		Tags: slices.Clone(r.Tags), Contributors: slices.Clone(r.Contributors), Values: maps.Clone(r.Values),
		LastMessageAt: r.LastMessageAt, FirstResponseAt: r.FirstResponseAt, FirstSolvedAt: r.FirstSolvedAt, SolvedAt: r.SolvedAt,
		Snooze: r.sleeping(),
	}
}

// Changes returns the changed fields. It is empty if a reader of the history would
// see no change.
func (e HistoryEntry) Changes() []FieldChange {
	all := slices.Clone(e.Links)
	for _, f := range e.fields() {
		all = append(all, FieldChange{f.name, f.show(e.Before), f.show(e.After)})
	}
	return all
}

// fields returns the fields that were changed.
func (e HistoryEntry) fields() (changed []requestField) {
	for _, f := range requestFields {
		if !f.same(e.Before, e.After) {
			changed = append(changed, f)
		}
	}
	ids := slices.Collect(maps.Keys(e.Before.Values))
	for id := range e.After.Values {
		if _, both := e.Before.Values[id]; !both {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		if f := valueField(id); !f.same(e.Before, e.After) {
			changed = append(changed, f)
		}
	}
	return changed
}

// requestField is a field of a request that people change.
type requestField struct {
	name string
	show func(Request) any // in the form in which a change gives it
	same func(a, b Request) bool
	back func(r *Request, to Request) // restores it, and everything that goes with it
}

var requestFields = []requestField{
	plainField("title", func(r *Request) *string { return &r.Title }, func(r *Request, to Request) { r.TitleBy = back(r.TitleBy, to.TitleBy) }),
	nullableField("state", func(r *Request) **State { return &r.State }, func(r *Request, to Request) {
		r.SolvedAt, r.FirstSolvedAt = to.SolvedAt, to.FirstSolvedAt
		if to.State == nil || to.State.Done() {
			r.Snooze = nil
		}
	}),
	nullableField("not_a_request_state", func(r *Request) **NotARequest { return &r.NotARequest }, nil),
	plainField("priority", func(r *Request) *Priority { return &r.Priority }, func(r *Request, to Request) { r.PriorityBy = back(r.PriorityBy, to.PriorityBy) }),
	nullableField("assignee", func(r *Request) **string { return &r.Assignee }, nil),
	nullableField("assigned_team", func(r *Request) **TeamID { return &r.Team }, nil),
	nullableField("customer_id", func(r *Request) **CustomerID { return &r.Customer }, nil),
	listField("tags", func(r *Request) *[]string { return &r.Tags }),
	listField("contributors", func(r *Request) *[]string { return &r.Contributors }),
	nullableField("parent_request", func(r *Request) **RequestID { return &r.Parent }, nil),
	plainField(collectionField, func(r *Request) *CollectionID { return &r.Collection.ID }, nil),
	nullableField("merged_into", func(r *Request) **RequestID { return &r.MergedInto }, nil),
	snoozeField,
}

// back returns the origin of a restored value. It is the person's if a model had
// replaced theirs, because otherwise the model would replace it again.
func back(now, then Origin) Origin {
	if now == ByModel {
		return ByPerson
	}
	return then
}

// collectionField is the only field that is never restored, because it decides who
// sees the request and where it is answered.
const collectionField = "collection_id"

func plainField[T comparable](name string, at func(*Request) *T, along func(r *Request, to Request)) requestField {
	return requestField{name,
		func(r Request) any { return *at(&r) },
		func(a, b Request) bool { return *at(&a) == *at(&b) },
		func(r *Request, to Request) {
			*at(r) = *at(&to)
			if along != nil {
				along(r, to)
			}
		}}
}

func nullableField[T comparable](name string, at func(*Request) **T, along func(r *Request, to Request)) requestField {
	return requestField{name,
		func(r Request) any {
			if p := *at(&r); p != nil {
				return *p
			}
			return nil
		},
		func(a, b Request) bool { return Same(*at(&a), *at(&b)) },
		func(r *Request, to Request) {
			*at(r) = *at(&to)
			if along != nil {
				along(r, to)
			}
		}}
}

func listField(name string, at func(*Request) *[]string) requestField {
	return requestField{name,
		func(r Request) any { return append([]string{}, *at(&r)...) },
		func(a, b Request) bool { return slices.Equal(*at(&a), *at(&b)) },
		func(r *Request, to Request) { *at(r) = *at(&to) }}
}

func valueField(id CustomFieldID) requestField {
	return requestField{fieldPath("custom_field_values", strconv.FormatInt(int64(id), 10)),
		func(r Request) any {
			if v, ok := r.Values[id]; ok {
				return v.JSON()
			}
			return nil
		},
		func(a, b Request) bool {
			v, has := a.Values[id]
			w, hasToo := b.Values[id]
			return has == hasToo && v.Equal(w)
		},
		func(r *Request, to Request) {
			v, ok := to.Values[id]
			switch {
			case !ok:
				delete(r.Values, id)
			case r.Values == nil:
				r.Values = FieldValues{id: v}
			default:
				r.Values[id] = v
			}
		}}
}

// WithMaking adds the creation of the request to a page of its history. The
// creation is the oldest entry, so only a page that reaches that far gets it.
func WithMaking(l List[HistoryEntry], making HistoryEntry, p Page) List[HistoryEntry] {
	at := Position{At: making.At}
	if p.Limit == 0 {
		p.Limit = DefaultLimit
	}
	switch {
	case p.After != nil && !making.At.After(*p.After), p.Before != nil && !making.At.Before(*p.Before):
		return l
	case p.Ascending && p.From != nil: // it was on the first page
		return l
	case !p.Ascending && (l.Next != nil || p.From != nil && *p.From == at):
		return l
	case p.Ascending:
		l.Items = slices.Insert(slices.Clone(l.Items), 0, making)
	default:
		l.Items = append(l.Items, making)
	}
	if len(l.Items) > p.Limit {
		l.Items = l.Items[:p.Limit]
		last := l.Items[p.Limit-1]
		l.Next = &Position{At: last.At, ID: int64(last.ID)}
	}
	return l
}
