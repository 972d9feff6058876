package rest

import (
	"context"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
)

func (s *Server) collections(ctx context.Context, c service.Caller, withChannels bool, p desk.Page) (desk.List[desk.Collection], error) {
	return s.service.Collections(ctx, c, p, withChannels)
}

// newCollection reads a new collection.
func newCollection(b object) desk.NewCollection {
	n := desk.NewCollection{
		Name: b.required("name"), Kind: desk.CollectionKind(b.required("kind")),
		Owner: b.nullableText("owner").Value, RequestChannel: b.nullableText("request_channel_id").Value, TriageChannel: b.nullableText("triage_channel_id").Value,
	}
	config := b.inside("config")
	n.Email, n.Retention = emailConfig(b), retention(b)
	n.Responders, n.Settings = orZero(responders(config)), settings(config, b.inside("emoji_config"), b.inside("csat_config"))
	return n
}

// collectionChange reads a change to a collection.
func collectionChange(b object) desk.CollectionChange {
	config := b.inside("config")
	return desk.CollectionChange{
		Name: b.text("name"), Owner: b.nullableText("owner"),
		RequestChannel: b.nullableText("request_channel_id"), TriageChannel: b.nullableText("triage_channel_id"),
		Responders: responders(config), Settings: settings(config, b.inside("emoji_config"), b.inside("csat_config")),
		Email: emailConfig(b), Retention: retention(b),
	}
}

// responders reads the responders in a collection's config. It returns nil if they
// are not given.
func responders(config object) *[]desk.Responder {
	return listOf(config, "responders", desk.MostResponders, func(o object) (r desk.Responder) {
		o.read("user_id", "a string", &r.UserID)
		o.read("team_id", "a number", &r.TeamID)
		o.read("email_domain", "a string", &r.EmailDomain)
		return r
	})
}

// settings reads the other fields of a collection's config, and those of its
// emoji_config and csat_config.
func settings(config, emoji, csat object) desk.SettingsChange {
	return desk.SettingsChange{
		AutoAssign:      member[desk.AutoAssign](config, "auto_assign", "a string"),
		AssignTeam:      nullable[desk.TeamID](config, "assign_team_id", "a number"),
		GroupingMinutes: member[int](config, "grouping_minutes", "a whole number"),
		AllowBots:       config.flag("allow_bots"),
		Notify:          member[desk.Notify](config, "notify", "a string"),
		Schedule:        nullable[desk.ScheduleID](config, "schedule_id", "a number"),
		Emoji: desk.EmojiChange{
			Take: emoji.texts("take"), Solve: emoji.texts("solve"), Urgent: emoji.texts("urgent"),
			Ticket: emoji.texts("ticket"), Request: emoji.texts("request"),
		},
		Surveys: desk.SurveyRulesChange{
			Enabled:      csat.flag("enabled"),
			Trigger:      member[desk.SurveyTrigger](csat, "trigger", "a string"),
			Scope:        member[desk.SurveyScope](csat, "scope", "a string"),
			Type:         member[desk.SurveyType](csat, "survey_type", "a string"),
			Comment:      csat.flag("comment"),
			DelayMinutes: member[int](csat, "delay_minutes", "a whole number"),
		},
	}
}
