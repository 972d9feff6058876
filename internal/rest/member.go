package rest

import "frontdesk/internal/desk"

// newMember reads a new member.
func newMember(b object) desk.NewMember {
	return desk.NewMember{
		Email: b.required("email"), Name: b.text("name"), Role: (*desk.Role)(b.text("role")),
		Collections: collectionIDs(b).Value,
	}
}

// memberChange reads a change to a member.
func memberChange(b object) desk.MemberChange {
	return desk.MemberChange{Name: b.text("name"), Role: (*desk.Role)(b.text("role")), Collections: collectionIDs(b)}
}

// collectionIDs reads a list of collections. null means all of them.
func collectionIDs(b object) (ids desk.Nullable[[]desk.CollectionID]) {
	const want = "a list of numbers"
	given := nullable[[]*desk.CollectionID](b, "collection_ids", want)
	if given.Value == nil {
		return desk.Nullable[[]desk.CollectionID]{Given: given.Given}
	}
	list := make([]desk.CollectionID, len(*given.Value))
	for i, id := range *given.Value {
		if id == nil { // the decoder accepts null for any number
			b.problems.Add("collection_ids", "must be %s or null", want)
			break
		}
		list[i] = *id
	}
	return desk.Just(list)
}
