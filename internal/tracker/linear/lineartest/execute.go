package lineartest

import (
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// millis is Linear's time format.
const millis = "2006-01-02T15:04:05.000Z"

// selected returns what a query selects of an object. ok is false if a required
// field is missing. The whole object is then null.
func (c *call) selected(of object, set ast.SelectionSet, path []any) (data map[string]any, ok bool) {
	data = map[string]any{}
	values := of.fields(c)
	for _, f := range c.collect(set) {
		at := append(slices.Clone(path), f.Alias)
		if f.Name == "__typename" {
			data[f.Alias] = f.ObjectDefinition.Name
			continue
		}
		value, err := values.value(f.Name, f.ArgumentMap(c.variables))
		if err != nil {
			c.fail(err, at)
			value = nil
		}
		shown, ok := c.shown(value, f.Definition.Type, f.SelectionSet, at)
		if !ok {
			return nil, false
		}
		data[f.Alias] = shown
	}
	return data, true
}

// shown returns a field's value in JSON.
func (c *call) shown(value any, t *ast.Type, set ast.SelectionSet, path []any) (any, bool) {
	switch v := value.(type) {
	case nil:
		return nil, !t.NonNull
	case *time.Time:
		if v == nil {
			return nil, !t.NonNull
		}
		return v.Format(millis), true
	case time.Time:
		return v.Format(millis), true
	case object:
		data, ok := c.selected(v, set, path)
		if !ok {
			return nil, !t.NonNull
		}
		return data, true
	}
	if list := reflect.ValueOf(value); list.Kind() == reflect.Slice {
		all := make([]any, list.Len())
		for i := range all {
			item, ok := c.shown(list.Index(i).Interface(), t.Elem, set, append(slices.Clone(path), i))
			if !ok {
				return nil, !t.NonNull
			}
			all[i] = item
		}
		return all, true
	}
	return value, true
}

// fail adds an error to the answer.
func (c *call) fail(err error, path []any) {
	t := (*trouble)(nil)
	if !errors.As(err, &t) {
		t = &trouble{message: err.Error(), status: 500, kind: "internal error", code: "INTERNAL_SERVER_ERROR", words: "Internal server error"}
	}
	c.errors = append(c.errors, t.shown(path...))
}

// collect returns the fields of a selection and of its fragments, each once. Types
// have no subtypes here, so every valid fragment applies.
func (c *call) collect(set ast.SelectionSet) (all []*ast.Field) {
	at := map[string]int{}
	var add func(set ast.SelectionSet)
	add = func(set ast.SelectionSet) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				if !c.wanted(s.Directives) {
					continue
				}
				if i, seen := at[s.Alias]; seen {
					merged := *all[i]
					merged.SelectionSet = append(slices.Clone(merged.SelectionSet), s.SelectionSet...)
					all[i] = &merged
					continue
				}
				at[s.Alias] = len(all)
				all = append(all, s)
			case *ast.InlineFragment:
				if c.wanted(s.Directives) {
					add(s.SelectionSet)
				}
			case *ast.FragmentSpread:
				if c.wanted(s.Directives) {
					add(s.Definition.SelectionSet)
				}
			}
		}
	}
	add(set)
	return all
}

// wanted reports whether @skip and @include keep a field.
func (c *call) wanted(all ast.DirectiveList) bool {
	for _, d := range all {
		on, _ := d.ArgumentMap(c.variables)["if"].(bool)
		if d.Name == "skip" && on || d.Name == "include" && !on {
			return false
		}
	}
	return true
}
