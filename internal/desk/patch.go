package desk

import "strings"

// patch takes what a caller gave into a noun, and collects what is wrong with it.
type patch struct {
	Problems
	offered []string // the fields that can be given, in the order in which callers are told
	given   map[string]bool
}

// offer names a field that can be given. It returns whether it was.
func (p *patch) offer(field string, given bool) bool {
	p.offered = append(p.offered, field)
	if given {
		p.note(field)
	}
	return given
}

// note counts a field that was given but is not among those that are offered.
func (p *patch) note(field string) {
	if p.given == nil {
		p.given = map[string]bool{}
	}
	p.given[field] = true
}

// take offers a field, and sets it if it was given.
func take[T any](p *patch, name string, field, v *T) bool {
	set(field, v)
	return p.offer(name, v != nil)
}

// takeNullable offers a field that accepts null, and sets it if it was given.
func takeNullable[T any](p *patch, name string, field **T, v Nullable[T]) bool {
	setNullable(field, v)
	return p.offer(name, v.Given)
}

// takeName offers a name, and sets and checks it if it was given.
func takeName(p *patch, field, v *string) {
	if take(p, "name", field, v) {
		p.Text("name", field, 1, mostName)
	}
}

// create fills a new noun with what was given, or returns Invalid.
func create[N any](n N, b Body, fill func(*N, *patch), required ...string) (N, error) {
	if b.Problem != nil {
		return n, b.Problem
	}
	var p patch
	fill(&n, &p)
	var all Problems
	for _, field := range required {
		if !p.given[field] {
			all.Add(field, "is required")
		}
	}
	all.fields = append(all.fields, p.fields...)
	return n, all.Err()
}

// amend makes the whole change of a noun, or returns Invalid and changes nothing.
func amend[N any](n *N, b Body, fill func(*N, *patch)) error {
	if b.Problem != nil {
		return b.Problem
	}
	next := *n
	var p patch
	fill(&next, &p)
	if len(p.given) == 0 {
		return Errorf(Invalid, "Nothing to change: give at least one of %s.", strings.Join(p.offered, ", "))
	}
	if err := p.Err(); err != nil {
		return err
	}
	*n = next
	return nil
}
