package chattest

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"
)

// triggerLife is how long a trigger is valid.
const triggerLife = 5 * time.Second

// trigger lets a program show a sheet to the person who pressed a knob.
type trigger struct {
	user *account
	at   time.Time
	used bool
}

// sheet is a form that a person has open.
type sheet struct {
	id, user    string
	title, send string
	about       string // the program's own data
	slots       []slot
}

// slot is something to fill in: a text, or one of the choices.
type slot struct {
	key, label, value string
	choices           []choice
	needed            bool
}

type choice struct{ Value, Label string }

func (s *system) open(id string, f sheet) error {
	t := s.triggers[id]
	if t == nil || t.used || s.now().Sub(t.at) > triggerLife {
		return tooLate
	}
	t.used = true
	f.id, f.user = rand.Text(), t.user.id
	s.sheets = append(s.sheets, &f)
	return nil
}

// press makes a person press a knob, and waits until the program has received it.
func (s *system) press(ctx context.Context, by *account, forum, id, label string) error {
	s.mu.Lock()
	f, err := s.found(by, forum)
	var e *entry
	if err == nil {
		at := slices.IndexFunc(f.entries, func(e *entry) bool {
			return e.id == id && !e.gone && (e.only == "" || e.only == by.id)
		})
		if err = notThere; at >= 0 {
			e, err = f.entries[at], nil
		}
	}
	at := -1
	if err == nil {
		at = slices.IndexFunc(e.knobs, func(k knob) bool { return k.label == label })
	}
	if at < 0 {
		s.mu.Unlock()
		return errors.Join(err, notThere)
	}
	k, name, n := e.knobs[at], rand.Text(), note{at: s.now(), entry: *e, user: by.id}
	s.triggers[name] = &trigger{user: by, at: n.at}
	hearer := s.tidings.edge
	s.mu.Unlock()
	return hearer.pressed(ctx, n, k, name)
}

// submit makes a person fill in a sheet. It closes unless the program says what is
// wrong.
func (s *system) submit(ctx context.Context, by *account, id string, filled map[string]string) (map[string]string, error) {
	s.mu.Lock()
	at := slices.IndexFunc(s.sheets, func(f *sheet) bool { return f.id == id && f.user == by.id })
	if at < 0 {
		s.mu.Unlock()
		return nil, notThere
	}
	f := *s.sheets[at]
	n, hearer := note{at: s.now(), user: by.id}, s.tidings.edge
	s.mu.Unlock()
	wrong := map[string]string{}
	f.slots = slices.Clone(f.slots)
	for i := range f.slots {
		one := &f.slots[i]
		if text, ok := filled[one.label]; ok {
			one.value = one.picked(text)
		}
		if one.value == "" && one.needed {
			wrong[one.label] = "Something belongs here."
		}
	}
	if len(wrong) > 0 {
		return wrong, nil
	}
	said, err := hearer.submitted(ctx, n, f)
	for _, one := range f.slots {
		if text := said[one.key]; text != "" {
			wrong[one.label] = text
		}
	}
	if err == nil && len(wrong) == 0 {
		s.mu.Lock()
		s.sheets = slices.DeleteFunc(s.sheets, func(f *sheet) bool { return f.id == id })
		s.mu.Unlock()
	}
	return wrong, err
}

// picked returns the value of what a person entered.
func (one *slot) picked(text string) string {
	for _, c := range one.choices {
		if c.Label == text {
			return c.Value
		}
	}
	return text
}
