package lineartest

import (
	"cmp"
	"math"
	"slices"
)

// mostAtOnce is the largest page size.
const mostAtOnce = 250

// page returns a page of nodes, latest first. Linear orders them by creation or by
// last change. A cursor is the id of a node.
func (c *call) page(all []node, args map[string]any) (any, error) {
	if err := wellFormed(args); err != nil {
		return nil, err
	}
	if filter, given := args["filter"].(map[string]any); given {
		var err error
		all, err = c.filtered(all, filter)
		if err != nil {
			return nil, err
		}
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b node) int {
		x, y := a.base(), b.base()
		if args["orderBy"] == "updatedAt" {
			return cmp.Or(y.updatedAt.Compare(x.updatedAt), cmp.Compare(x.id, y.id))
		}
		return cmp.Or(y.createdAt.Compare(x.createdAt), cmp.Compare(x.id, y.id))
	})
	after, err := position(all, args, "after", -1)
	if err != nil {
		return nil, err
	}
	before, err := position(all, args, "before", len(all))
	if err != nil {
		return nil, err
	}
	from, to := after+1, max(after+1, before)
	if last, given := number(args["last"]); given {
		from = max(from, to-last)
	} else {
		to = min(to, from+wantedOf(args))
	}
	return connection(all[from:to], from > 0, to < len(all)), nil
}

// position returns where the node of a cursor is, or otherwise if none is given.
func position(all []node, args map[string]any, name string, otherwise int) (int, error) {
	cursor, given := args[name].(string)
	if !given {
		return otherwise, nil
	}
	i := slices.IndexFunc(all, func(n node) bool { return n.base().id == cursor })
	if i < 0 {
		return 0, invalid(name, "must be a valid cursor")
	}
	return i, nil
}

// wellFormed returns an error for invalid paging arguments.
func wellFormed(args map[string]any) error {
	for _, name := range []string{"first", "last"} {
		value, given := args[name]
		if !given || value == nil {
			continue
		}
		switch n, ok := number(value); {
		case !ok:
			return invalid(name, "must be an integer number")
		case n < 1:
			return invalid(name, "must not be less than 1")
		case n > mostAtOnce:
			return invalid(name, "must not be greater than 250")
		}
	}
	if args["first"] != nil && args["last"] != nil {
		return inputError("Cannot use first and last together", "Use first with after, or last with before.")
	}
	if order := args["orderBy"]; order != nil && order != "createdAt" && order != "updatedAt" {
		return invalid("orderBy", "must be createdAt or updatedAt")
	}
	return nil
}

func connection(page []node, previous, next bool) object {
	list, edges := make([]object, len(page)), make([]object, len(page))
	for i, n := range page {
		list[i], edges[i] = n, fields{"cursor": n.base().id, "node": n}
	}
	info := fields{"hasPreviousPage": previous, "hasNextPage": next}
	if len(page) > 0 {
		info["startCursor"], info["endCursor"] = page[0].base().id, page[len(page)-1].base().id
	}
	return fields{"nodes": list, "edges": edges, "pageInfo": info}
}

// number returns an integer of a query, from a literal or from JSON.
func number(value any) (n int, ok bool) {
	switch v := value.(type) {
	case int64:
		return int(v), true
	case float64:
		return int(v), v == math.Trunc(v)
	}
	return 0, false
}
