package slack

import "encoding/json"

// The scopes that the app asks for, in the manifest and on the authorize page.
var (
	botScopes = []string{
		"channels:history", "channels:join", "channels:read", // public channels
		"groups:history", "groups:read", // private ones
		"im:history", "im:read", "im:write", "mpim:history", "mpim:read", // direct messages
		"chat:write", "chat:write.customize",
		"files:read", "files:write",
		"reactions:read", "reactions:write",
		"metadata.message:read",
		"usergroups:read", "users:read", "users:read.email", "dnd:read",
	}
	// To post in the name of a person, who may allow it when they connect.
	userScopes = []string{"chat:write", "files:write"}

	botEvents = []string{
		"message.channels", "message.groups", "message.im", "message.mpim",
		"reaction_added", "reaction_removed",
		"team_join", "user_change",
		"subteam_created", "subteam_updated", "subteam_members_changed",
		"channel_created", "channel_rename", "channel_archive", "channel_unarchive", "channel_deleted", "channel_left",
		"group_rename", "group_archive", "group_unarchive", "group_deleted", "group_left",
		"member_joined_channel", "member_left_channel",
		"app_uninstalled", "tokens_revoked",
	}
)

// callbackPath is where a person comes back to from the authorize page.
const callbackPath = "/integrations/slack/callback"

type object = map[string]any

// Manifest returns the app's manifest in Slack's JSON. An operator creates the app
// from it. publicURL is where Slack reaches this server, without a trailing slash.
func Manifest(publicURL string) []byte {
	m := object{
		"_metadata": object{"major_version": 1, "minor_version": 1},
		"display_information": object{
			"name":        "Frontdesk",
			"description": "Turns conversations into support requests",
		},
		"features": object{
			"bot_user": object{"display_name": "Frontdesk", "always_online": true},
		},
		"oauth_config": object{
			"redirect_urls": []string{publicURL + callbackPath},
			"scopes":        object{"bot": botScopes, "user": userScopes},
		},
		"settings": object{
			"event_subscriptions": object{
				"request_url": publicURL + "/integrations/slack/events",
				"bot_events":  botEvents,
				// Without this, events would leave out the marks of our posts. The
				// app's own id is not known before the app exists.
				"metadata_subscriptions": []object{{"app_id": "*", "event_type": postEvent}},
			},
			"interactivity":          object{"is_enabled": true, "request_url": publicURL + "/integrations/slack/interactions"},
			"org_deploy_enabled":     false,
			"socket_mode_enabled":    false,
			"token_rotation_enabled": false,
		},
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic(err) // only for a type that JSON cannot represent
	}
	return append(b, '\n')
}
