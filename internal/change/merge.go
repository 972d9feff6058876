package change

import (
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// Merge moves the belongings of others to r and saves all of them.
func (s Setup) Merge(tx *store.Tx, by desk.Actor, before, r desk.Request, others []desk.Request) (desk.Request, error) {
	ids := desk.Each(others, func(o desk.Request) desk.RequestID { return o.ID })
	belongings, err := tx.Belongings(append(slices.Clone(ids), r.ID))
	if err != nil {
		return r, err
	}
	moved := desk.Moved{Requests: belongings[:len(ids)], Last: lastMessage(belongings)}
	keepOneSurvey(moved.Requests, before.Survey != nil)
	for i, o := range others {
		if err := tx.Move(moved.Requests[i], o.ID, r.ID); err != nil {
			return r, err
		}
		after := o.MergedWith(r.ID, tx.Now)
		if len(moved.Requests[i].Surveys) > 0 {
			after.Survey = nil
		}
		if err := keepPart(tx, by, &moved, desk.RequestMerged, o, after); err != nil {
			return r, err
		}
	}
	if err := adopt(tx, by, &moved, r.ID, ids); err != nil {
		return r, err
	}
	if err := s.Suggest(tx, &r); err != nil {
		return r, err
	}
	e := desk.NewHistoryEntry(by, desk.RequestMerged, before, r, tx.Now)
	e.Links = []desk.FieldChange{{Field: "merged_requests", From: []desk.RequestID{}, To: ids}}
	e.Moved = &moved
	return saveAndReload(tx, &e, before, r)
}

// adopt gives the children of merged requests their new parent.
func adopt(tx *store.Tx, by desk.Actor, moved *desk.Moved, parent desk.RequestID, merged []desk.RequestID) error {
	// The limit leaves room for those that the next statement drops: requests that
	// are merged themselves, and the new parent.
	ids, err := tx.ChildrenOf(merged, desk.MostMovedChildren+desk.MostMerged+2)
	if err != nil {
		return err
	}
	ids = slices.DeleteFunc(ids, func(id desk.RequestID) bool { return id == parent || slices.Contains(merged, id) })
	if len(ids) > desk.MostMovedChildren {
		return desk.Wrong("request_ids", "must name requests with at most %d children together", desk.MostMovedChildren)
	}
	children, err := tx.RequestsNamed(ids, desk.Everything)
	if err != nil {
		return err
	}
	for _, child := range children {
		after := child
		after.Parent, after.UpdatedAt = &parent, tx.Now
		moved.Children = append(moved.Children, desk.MovedChild{Request: child.ID, Parent: *child.Parent})
		if err := keepPart(tx, by, moved, desk.RequestMerged, child, after); err != nil {
			return err
		}
	}
	return nil
}

// keepPart saves another request that a merge changes.
func keepPart(tx *store.Tx, by desk.Actor, moved *desk.Moved, action string, before, after desk.Request) error {
	e := desk.NewHistoryEntry(by, action, before, after, tx.Now)
	if err := SaveChange(tx, &e, before, &after); err != nil {
		return err
	}
	moved.Entries = append(moved.Entries, e.ID)
	return nil
}

// keepOneSurvey leaves at most one survey to move with merged requests, because the
// request that they are merged into can have only one. has says whether that one
// has a survey already; then none moves. Otherwise the first survey moves and the
// others stay where they are.
func keepOneSurvey(merged []desk.MovedRequest, has bool) {
	for i := range merged {
		if has {
			merged[i].Surveys = nil
		}
		has = has || len(merged[i].Surveys) > 0
	}
}

// lastMessage returns the newest message of requests, or 0 if they have none.
func lastMessage(belongings []desk.MovedRequest) (last desk.MessageID) {
	for _, b := range belongings {
		for _, m := range b.Messages {
			last = max(last, m)
		}
	}
	return last
}
