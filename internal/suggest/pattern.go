package suggest

import (
	"fmt"
	"strings"
)

// A pattern is a line of the lexicon. Groups have alternatives; one of them may be
// empty:
//
//	(it |)work(s|ed) (again|now|)
//
// A space outside of groups splits it into slots. Each slot is expanded separately.

// mostAlternatives bounds the alternatives of one slot. More are a mistake in the
// lexicon.
const mostAlternatives = 4000

// slots splits a pattern and expands each slot.
func slots(pattern string) ([][]string, error) {
	var all [][]string
	depth, start := 0, 0
	for i, r := range pattern + " " {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ' ' && depth == 0:
			if i > start {
				slot, err := expand(pattern[start:i])
				if err != nil {
					return nil, err
				}
				all = append(all, slot)
			}
			start = i + 1
		}
		if depth < 0 {
			break
		}
	}
	if depth != 0 {
		return nil, fmt.Errorf("the pattern %q has a parenthesis without its other", pattern)
	}
	return all, nil
}

// expand lists the texts that a pattern with balanced groups stands for.
func expand(pattern string) ([]string, error) {
	open := strings.IndexByte(pattern, '(')
	if open < 0 {
		return []string{pattern}, nil
	}
	alternatives, closed := group(pattern[open+1:])
	if closed < 0 {
		return nil, fmt.Errorf("the pattern %q has a parenthesis without its other", pattern)
	}
	tails, err := expand(pattern[open+1+closed+1:])
	if err != nil {
		return nil, err
	}
	var out []string
	for _, alternative := range alternatives {
		middles, err := expand(alternative)
		if err != nil {
			return nil, err
		}
		for _, middle := range middles {
			for _, tail := range tails {
				out = append(out, pattern[:open]+middle+tail)
			}
		}
	}
	if len(out) > mostAlternatives {
		return nil, fmt.Errorf("the pattern %q has too many alternatives in one slot", pattern)
	}
	return out, nil
}

// group reads alternatives up to the closing parenthesis, and returns its position,
// or -1.
func group(s string) (alternatives []string, end int) {
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case '|':
			if depth == 0 {
				alternatives = append(alternatives, s[start:i])
				start = i + 1
			}
		case ')':
			if depth == 0 {
				return append(alternatives, s[start:i]), i
			}
			depth--
		}
	}
	return nil, -1
}
