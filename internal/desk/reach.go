package desk

import "slices"

// Reach is the set of collections that a member has: all of the account, including
// future ones, or a list. The zero value is none.
type Reach struct {
	All bool
	IDs []CollectionID // without All; sorted, each once
}

// Everything is the reach of members who have all collections.
var Everything = Reach{All: true}

// ReachOf returns the reach of a list of collections, nil for all of them.
func ReachOf(ids *[]CollectionID) Reach {
	if ids == nil {
		return Everything
	}
	list := slices.Clone(*ids)
	slices.Sort(list)
	return Reach{IDs: slices.Compact(list)}
}

// Has reports whether a collection is in reach.
func (r Reach) Has(id CollectionID) bool { return r.All || r.lists(id) }

func (r Reach) lists(id CollectionID) bool {
	_, found := slices.BinarySearch(r.IDs, id)
	return found
}

// HasChannel reports whether a channel is in reach. A channel in a collection is in
// reach with that collection; a channel without one only if all collections are.
func (r Reach) HasChannel(c Channel) bool {
	return r.All || c.Collection != nil && r.Has(*c.Collection)
}

// Without returns the reach after a collection was removed.
func (r Reach) Without(id CollectionID) Reach {
	r.IDs = slices.DeleteFunc(slices.Clone(r.IDs), func(have CollectionID) bool { return have == id })
	return r
}
