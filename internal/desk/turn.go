package desk

import "slices"

// Next returns whose turn it is among the sorted candidates: the one after last,
// wrapping around at the end. last need not be a candidate any more. It is empty if
// there are no candidates.
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
