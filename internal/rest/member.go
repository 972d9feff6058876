package rest

import (
	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

func (s *Server) listMembers(c *call) (any, error) {
	var p desk.Problems
	page := c.page(&p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	l, err := s.service.Members(c.ctx, c.caller, page)
	return list(c, "members", wire.NewMember, l, err)
}

func (s *Server) getMember(c *call) (any, error) {
	id, err := id[desk.MemberID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.Member(c.ctx, c.caller, id)
}

func (s *Server) createMember(c *call) (any, error) {
	b := c.object()
	n := desk.NewMember{
		Email: b.required("email"), Name: b.text("name"), Role: (*desk.Role)(b.text("role")),
		Collections: collectionIDs(b).Value,
	}
	n.Problem = b.problem()
	return s.service.CreateMember(c.ctx, c.caller, n)
}

func (s *Server) updateMember(c *call) (any, error) {
	id, err := id[desk.MemberID](c, "id")
	if err != nil {
		return nil, err
	}
	b := c.object()
	ch := desk.MemberChange{Name: b.text("name"), Role: (*desk.Role)(b.text("role")), Collections: collectionIDs(b)}
	ch.Problem = b.problem()
	return s.service.UpdateMember(c.ctx, c.caller, id, ch)
}

func (s *Server) deleteMember(c *call) (any, error) {
	id, err := id[desk.MemberID](c, "id")
	if err != nil {
		return nil, err
	}
	return s.service.DeleteMember(c.ctx, c.caller, id)
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
