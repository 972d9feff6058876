package rest

import "frontdesk/internal/desk"

// givenSLAPolicy reads a policy.
func givenSLAPolicy(b object) desk.GivenSLAPolicy {
	g := desk.GivenSLAPolicy{
		Name: b.text("name"), Kind: member[desk.SLAKind](b, "kind", "a string"),
		Collection: nullable[desk.CollectionID](b, "collection_id", "a number"), Schedule: nullable[desk.ScheduleID](b, "schedule_id", "a number"),
		TargetMinutes: member[int](b, "target_minutes", "a whole number"), MaxReplies: member[int](b, "max_replies", "a whole number"),
		Enabled: b.flag("enabled"), Position: member[int](b, "position", "a whole number"),
		Recompute: member[desk.Recompute](b, "recompute", "a string"),
	}
	if b.has("conditions") {
		in := b.inside("conditions")
		g.Conditions = &desk.GivenConditions{
			Priorities: member[[]desk.Priority](in, "priorities", "a list of strings"),
			Customers:  member[[]desk.CustomerID](in, "customer_ids", "a list of numbers"),
			HasTicket:  in.flag("has_ticket"),
		}
	}
	return g
}
