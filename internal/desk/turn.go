package desk

import "slices"

// Next is whose turn it is among the candidates, who are sorted: the one after
// last, who need not be among them any more, and after the last of all the
// first. It is nobody when there are none.
func Next(candidates []string, last string) string {
	if len(candidates) == 0 {
		return ""
	}
	at, found := slices.BinarySearch(candidates, last)
	if found {
		at++
	}
	return candidates[at%len(candidates)]
}
