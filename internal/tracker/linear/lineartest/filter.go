package lineartest

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// filtered returns the nodes that pass a filter.
func (c *call) filtered(all []node, filter map[string]any) (some []node, err error) {
	for _, n := range all {
		pass, err := c.passes(n, filter)
		if err != nil {
			return nil, err
		}
		if pass {
			some = append(some, n)
		}
	}
	return some, nil
}

// passes reports whether an object, which may be nil, passes a filter.
func (c *call) passes(of object, filter map[string]any) (bool, error) {
	if null, given := filter["null"].(bool); given && null != (of == nil) {
		return false, nil
	}
	for name, says := range filter {
		if says == nil || name == "null" {
			continue
		}
		pass, err := c.passesOne(of, name, says)
		if err != nil || !pass {
			return false, err
		}
	}
	return true, nil
}

func (c *call) passesOne(of object, name string, says any) (bool, error) {
	if name == "and" || name == "or" {
		for _, one := range list(says) {
			deeper, _ := one.(map[string]any)
			pass, err := c.passes(of, deeper)
			if err != nil {
				return false, err
			}
			if pass == (name == "or") {
				return pass, nil
			}
		}
		return name == "and", nil
	}
	if of == nil {
		return false, nil
	}
	value, err := of.fields(c).value(name, nil)
	if err != nil {
		return false, err
	}
	deeper, ok := says.(map[string]any)
	if !ok {
		return false, invalid("filter", "cannot be understood")
	}
	switch value := value.(type) {
	case object:
		return c.passes(value, deeper)
	case nil:
		if _, nullable := deeper["null"]; nullable {
			return c.passes(nil, deeper)
		}
		return false, nil
	}
	return compares(value, deeper)
}

// compares reports whether a value satisfies a comparator.
func compares(value any, comparator map[string]any) (bool, error) {
	for op, operand := range comparator {
		if operand == nil {
			continue
		}
		pass, err := comparesOne(value, op, operand)
		if err != nil || !pass {
			return false, err
		}
	}
	return true, nil
}

func comparesOne(value any, op string, operand any) (bool, error) {
	if op == "in" || op == "nin" {
		for _, one := range list(operand) {
			same, err := comparesOne(value, "eq", one)
			if err != nil {
				return false, err
			}
			if same {
				return op == "in", nil
			}
		}
		return op == "nin", nil
	}
	switch v := value.(type) {
	case bool:
		return (v == operand) == (op == "eq"), nil
	case string:
		return comparesText(v, op, fmt.Sprint(operand))
	case float64:
		n, ok := operand.(float64)
		if i, whole := operand.(int64); whole {
			n, ok = float64(i), true
		}
		if !ok {
			return false, invalid("filter", "must compare with a number")
		}
		return ordered(cmp.Compare(v, n), op), nil
	case time.Time:
		at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(operand))
		if err != nil {
			return false, invalid("filter", "must compare with a time") // Linear also accepts durations
		}
		return ordered(v.Compare(at), op), nil
	}
	return false, invalid("filter", "cannot be understood")
}

// list returns a query's value for a list. A single value counts as a list of one.
func list(value any) (all []any) {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Slice {
		return []any{value}
	}
	for i := range v.Len() {
		all = append(all, v.Index(i).Interface())
	}
	return all
}

func ordered(sign int, op string) bool {
	signs := map[string][]int{"eq": {0}, "neq": {-1, 1}, "lt": {-1}, "lte": {-1, 0}, "gt": {1}, "gte": {0, 1}}
	return slices.Contains(signs[op], sign)
}

// textComparisons compare texts. Some have a negative, and some a form that ignores
// case.
var (
	textComparisons = map[string]func(v, operand string) bool{
		"eq": func(v, operand string) bool { return v == operand }, "contains": strings.Contains, "startsWith": strings.HasPrefix, "endsWith": strings.HasSuffix,
	}
	textNegatives = map[string]string{"neq": "eq", "notContains": "contains", "notStartsWith": "startsWith", "notEndsWith": "endsWith"}
)

func comparesText(v, op, operand string) (bool, error) {
	op, folded := strings.CutSuffix(op, "IgnoreCase")
	if folded {
		v, operand = strings.ToLower(v), strings.ToLower(operand)
	}
	positive, negative := textNegatives[op]
	if negative {
		op = positive
	}
	compare := textComparisons[op]
	if compare == nil {
		return false, invalid("filter", "cannot be understood")
	}
	return compare(v, operand) != negative, nil
}
