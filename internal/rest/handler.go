package rest

import (
	"bytes"
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
	"frontdesk/internal/wire"
)

// Most handlers read the id in the path, the page or the body, and call one
// operation. These functions make them, each from the operation and, if it has a
// body, from the function that reads it.

// asked calls an operation that takes nothing.
func asked[R any](op func(context.Context, service.Caller) (R, error)) func(*call) (any, error) {
	return func(c *call) (any, error) { return op(c.ctx, c.caller) }
}

// byID calls an operation with the id in the path.
func byID[ID ~int64, R any](op func(context.Context, service.Caller, ID) (R, error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		id, err := id[ID](c, "id")
		if err != nil {
			return nil, err
		}
		return op(c.ctx, c.caller, id)
	}
}

// byIDs calls an operation with the id in the path and a second one.
func byIDs[A, B ~int64, R any](second string, op func(context.Context, service.Caller, A, B) (R, error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		a, err := id[A](c, "id")
		if err != nil {
			return nil, err
		}
		b, err := id[B](c, second)
		if err != nil {
			return nil, err
		}
		return op(c.ctx, c.caller, a, b)
	}
}

// refusable is the input G of an operation, which is told what is wrong with the
// body that it was read from.
type refusable[G any] interface {
	*G
	Refuse(problem error)
}

// input returns what read finds in the body.
func input[G any, P refusable[G]](c *call, read func(object) G) G {
	b := c.object()
	g := read(b)
	P(&g).Refuse(b.problem())
	return g
}

// fromBody calls an operation with what read finds in the body.
func fromBody[G any, P refusable[G], R any](read func(object) G, op func(context.Context, service.Caller, G) (R, error)) func(*call) (any, error) {
	return func(c *call) (any, error) { return op(c.ctx, c.caller, input[G, P](c, read)) }
}

// byIDAndBody calls an operation with the id in the path and what read finds in the
// body.
func byIDAndBody[ID ~int64, G any, P refusable[G], R any](read func(object) G, op func(context.Context, service.Caller, ID, G) (R, error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		id, err := id[ID](c, "id")
		if err != nil {
			return nil, err
		}
		return op(c.ctx, c.caller, id, input[G, P](c, read))
	}
}

// byIDAndOptionalBody is byIDAndBody for an operation that can be called without a
// body.
func byIDAndOptionalBody[ID ~int64, G any, P refusable[G], R any](read func(object) G, op func(context.Context, service.Caller, ID, G) (R, error)) func(*call) (any, error) {
	with := byIDAndBody[ID, G, P](read, op)
	without := byID(func(ctx context.Context, c service.Caller, id ID) (R, error) {
		var nothing G
		return op(ctx, c, id, nothing)
	})
	return func(c *call) (any, error) {
		if len(bytes.TrimSpace(c.raw)) == 0 {
			return without(c)
		}
		return with(c)
	}
}

// paged calls an operation with the common list parameters.
func paged[N, W any](name string, form func(N) W, op func(context.Context, service.Caller, desk.Page) (desk.List[N], error)) func(*call) (any, error) {
	read := func(c *call, p *desk.Problems) (none service.None, page desk.Page) { return none, c.page(p) }
	return filtered(name, form, read, func(ctx context.Context, c service.Caller, _ service.None, p desk.Page) (desk.List[N], error) {
		return op(ctx, c, p)
	})
}

// filtered calls an operation that lists something with what read finds in the query:
// a filter, and the common list parameters.
func filtered[F, N, W any](name string, form func(N) W, read func(*call, *desk.Problems) (F, desk.Page),
	op func(context.Context, service.Caller, F, desk.Page) (desk.List[N], error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		var p desk.Problems
		filter, page := read(c, &p)
		if err := p.Err(); err != nil {
			return nil, err
		}
		l, err := op(c.ctx, c.caller, filter, page)
		return list(c, name, form, l, err)
	}
}

// including reads whether the optional part of a list is asked for.
func including(part string) func(*call, *desk.Problems) (bool, desk.Page) {
	return func(c *call, p *desk.Problems) (bool, desk.Page) {
		page := c.page(p)
		return c.includes(p, part), page
	}
}

// byIDIncluding calls an operation with the id in the path, and whether its optional
// part is asked for.
func byIDIncluding[ID ~int64, R any](part string, op func(context.Context, service.Caller, ID, bool) (R, error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		id, err := id[ID](c, "id")
		if err != nil {
			return nil, err
		}
		var p desk.Problems
		included := c.includes(&p, part)
		if err := p.Err(); err != nil {
			return nil, err
		}
		return op(c.ctx, c.caller, id, included)
	}
}

// A route's form turns the result of its operation into the body of the response.
// It is not part of the handler, because the response to a call with an idempotency
// key is stored in the operation's transaction.

// named is the form of a result under its name: {"view": {…}}.
func named[R, W any](name string, form func(R) W) func(any) ([]byte, error) {
	return func(result any) ([]byte, error) { return wire.Named(name, form(result.(R))) }
}

// bare is the form of a result by itself.
func bare[R, W any](form func(R) W) func(any) ([]byte, error) {
	return func(result any) ([]byte, error) { return wire.JSON(form(result.(R))) }
}

// each is the form of a list that is not read in pages.
func each[N, W any](form func(N) W) func([]N) []W {
	return func(all []N) []W { return desk.Each(all, form) }
}
