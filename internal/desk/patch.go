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

// Patch, Create and the others are for nouns of other packages, which take what a
// caller gave in the same way.
type Patch = patch

// Create fills a new noun with what was given, or returns Invalid.
func Create[N any](n N, b Body, fill func(*N, *Patch), required ...string) (N, error) {
	return create(n, b, fill, required...)
}

// Amend makes the whole change of a noun, or returns Invalid and changes nothing.
func Amend[N any](n *N, b Body, fill func(*N, *Patch)) error { return amend(n, b, fill) }

// Take offers a field, and sets it if it was given. It returns whether it was.
func Take[T any](p *Patch, name string, field, v *T) bool { return take(p, name, field, v) }

// TakeNullable is Take for a field that accepts null.
func TakeNullable[T any](p *Patch, name string, field **T, v Nullable[T]) bool {
	return takeNullable(p, name, field, v)
}

// TakeName is Take for a name, which it checks.
func TakeName(p *Patch, field, v *string) { takeName(p, field, v) }

// Offer names a field that can be given. It returns whether it was.
func (p *patch) Offer(field string, given bool) bool { return p.offer(field, given) }

// AtMost checks the length of a list.
func (p *patch) AtMost(field string, n, most int) bool { return p.atMost(field, n, most) }

// TakePosition is Take for a position in a list, which it checks.
func TakePosition(p *Patch, field, v *int64) {
	if take(p, "position", field, v) {
		wholeNumber(&p.Problems, "position", *field, 0, MostPosition)
	}
}
