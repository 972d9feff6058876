package sandbox

import "slices"

// Scopes of the methods that serve every kind of conversation. The conversation
// decides which of them is needed.
var (
	readScopes    = []string{"channels:read", "groups:read", "im:read", "mpim:read"}
	historyScopes = []string{"channels:history", "groups:history", "im:history", "mpim:history"}
	manageScopes  = []string{"channels:manage", "groups:write", "channels:write"}
	inviteScopes  = slices.Concat(manageScopes, []string{"channels:write.invites", "groups:write.invites"})
	topicScopes   = slices.Concat(manageScopes, []string{"im:write", "mpim:write", "channels:write.topic", "groups:write.topic", "im:write.topic", "mpim:write.topic"})
	openScopes    = []string{"im:write", "mpim:write"}
	joinScopes    = []string{"channels:join", "channels:write"}
)

// methods is the Web API: how each method is called, and with which scope.
var methods = table([]method{
	{name: "api.test", call: apiTest, tier: 4, get: true, json: true, open: true},
	{name: "auth.test", call: authTest, get: true, json: true},
	{name: "auth.revoke", call: authRevoke, tier: 3, get: true, write: true},
	{name: "oauth.v2.access", call: oauthAccess, get: true, write: true, open: true},
	{name: "apps.uninstall", call: appsUninstall, tier: 1, get: true, write: true, needs: []string{"client_id", "client_secret"}},

	{name: "users.list", call: usersList, tier: 2, get: true, scopes: []string{"users:read"}},
	{name: "users.info", call: usersInfo, tier: 4, get: true, scopes: []string{"users:read"}, needs: []string{"user"}},
	{name: "users.conversations", call: usersConversations, tier: 3, get: true, scopes: readScopes},
	{name: "users.profile.get", call: usersProfileGet, tier: 4, get: true, scopes: []string{"users.profile:read"}},
	{name: "users.lookupByEmail", call: usersLookupByEmail, tier: 3, get: true, scopes: []string{"users:read.email"}, needs: []string{"email"}},
	{name: "users.getPresence", call: usersGetPresence, tier: 3, get: true, scopes: []string{"users:read"}},
	{name: "dnd.teamInfo", call: dndTeamInfo, tier: 2, get: true, scopes: []string{"dnd:read"}, needs: []string{"users"}},
	{name: "usergroups.list", call: usergroupsList, tier: 2, get: true, scopes: []string{"usergroups:read"}},
	{name: "usergroups.users.list", call: usergroupsUsersList, tier: 2, get: true, scopes: []string{"usergroups:read"}, needs: []string{"usergroup"}},

	{name: "bots.info", call: botsInfo, tier: 3, get: true, scopes: []string{"users:read"}},
	{name: "team.info", call: teamInfo, tier: 3, get: true, scopes: []string{"team:read"}},

	{name: "conversations.list", call: conversationsList, tier: 2, get: true, scopes: readScopes},
	{name: "conversations.info", find: findScoped("read"), does: conversationsInfo, tier: 3, get: true, scopes: readScopes},
	{name: "conversations.members", find: findScoped("read"), does: conversationsMembers, tier: 4, get: true, scopes: readScopes},
	{name: "conversations.history", find: findScoped("history"), does: conversationsHistory, tier: 3, get: true, scopes: historyScopes},
	{name: "conversations.replies", find: findScoped("history"), does: conversationsReplies, tier: 3, get: true, scopes: historyScopes, needs: []string{"ts"}},
	{name: "conversations.create", call: conversationsCreate, tier: 2, json: true, write: true, scopes: manageScopes, needs: []string{"name"}},
	{name: "conversations.invite", call: conversationsInvite, tier: 3, json: true, write: true, scopes: inviteScopes, needs: []string{"channel"}},
	{name: "conversations.join", find: findSeen, does: conversationsJoin, tier: 3, json: true, write: true, scopes: joinScopes},
	{name: "conversations.leave", find: findManaged(), does: conversationsLeave, tier: 3, json: true, write: true, scopes: manageScopes},
	{name: "conversations.rename", find: findManaged(), does: conversationsRename, tier: 2, json: true, write: true, scopes: manageScopes, needs: []string{"name"}},
	{name: "conversations.setTopic", find: findManaged("write.topic"), does: conversationsSetTopic, tier: 2, json: true, write: true, scopes: topicScopes, needs: []string{"topic"}},
	{name: "conversations.setPurpose", find: findManaged("write.topic"), does: conversationsSetPurpose, tier: 2, json: true, write: true, scopes: topicScopes, needs: []string{"purpose"}},
	{name: "conversations.archive", find: findManaged(), does: conversationsArchive, tier: 2, json: true, write: true, scopes: manageScopes},
	{name: "conversations.unarchive", find: findManaged(), does: conversationsUnarchive, tier: 2, json: true, write: true, scopes: manageScopes},
	{name: "conversations.open", call: conversationsOpen, tier: 3, json: true, write: true, scopes: openScopes},

	// The limit of chat.postMessage is per channel.
	{name: "chat.postMessage", call: chatPostMessage, json: true, write: true, scopes: []string{"chat:write"}, needs: []string{"channel"}},
	{name: "chat.postEphemeral", call: chatPostEphemeral, tier: 4, json: true, write: true, scopes: []string{"chat:write"}, needs: []string{"channel", "user"}},
	{name: "chat.update", find: findSeen, does: chatUpdate, tier: 3, json: true, write: true, scopes: []string{"chat:write"}, needs: []string{"ts"}},
	{name: "chat.delete", find: findSeen, does: chatDelete, tier: 3, json: true, write: true, scopes: []string{"chat:write"}, needs: []string{"ts"}},
	{name: "chat.scheduleMessage", call: chatScheduleMessage, tier: 3, json: true, write: true, scopes: []string{"chat:write"}, needs: []string{"channel", "post_at"}},
	{name: "chat.scheduledMessages.list", call: chatScheduledMessagesList, tier: 3, get: true, json: true},
	{name: "chat.deleteScheduledMessage", find: findSeen, does: chatDeleteScheduledMessage, tier: 3, json: true, write: true, scopes: []string{"chat:write"}, needs: []string{"scheduled_message_id"}},
	{name: "chat.getPermalink", find: findSeen, does: chatGetPermalink, get: true, needs: []string{"message_ts"}},

	{name: "reactions.add", call: reactionsAdd, tier: 3, json: true, write: true, scopes: []string{"reactions:write"}},
	{name: "reactions.remove", call: reactionsRemove, tier: 2, json: true, write: true, scopes: []string{"reactions:write"}},
	{name: "reactions.get", call: reactionsGet, tier: 3, get: true, scopes: []string{"reactions:read"}},

	{name: "pins.add", find: findSeen, does: pinnable((*tx).pin), tier: 2, json: true, write: true, scopes: []string{"pins:write"}},
	{name: "pins.remove", find: findSeen, does: pinnable((*tx).unpin), tier: 2, json: true, write: true, scopes: []string{"pins:write"}},
	{name: "pins.list", find: findSeen, does: pinsList, tier: 2, get: true, scopes: []string{"pins:read"}},

	{name: "emoji.list", call: emojiList, tier: 2, get: true, scopes: []string{"emoji:read"}},

	{name: "files.getUploadURLExternal", call: filesGetUploadURL, tier: 4, get: true, write: true, scopes: []string{"files:write"}, needs: []string{"filename", "length"}},
	{name: "files.completeUploadExternal", call: filesCompleteUpload, tier: 4, json: true, write: true, scopes: []string{"files:write"}, needs: []string{"files"}},
	{name: "files.info", call: filesInfo, tier: 4, get: true, scopes: []string{"files:read"}, needs: []string{"file"}},

	{name: "files.list", call: filesList, tier: 3, get: true, scopes: []string{"files:read"}},
	{name: "files.delete", call: filesDelete, tier: 3, json: true, write: true, scopes: []string{"files:write"}, needs: []string{"file"}},

	{name: "views.open", call: viewsOpen, tier: 4, json: true, write: true, needs: []string{"view", "trigger_id"}},
	{name: "views.push", call: viewsPush, tier: 4, json: true, write: true, needs: []string{"view", "trigger_id"}},
	{name: "views.update", call: viewsUpdate, tier: 4, json: true, write: true, needs: []string{"view"}},
})

func table(all []method) map[string]*method {
	byName := make(map[string]*method, len(all))
	for _, m := range all {
		if m.find != nil {
			m.call, m.needs = in(m.find, m.does), append([]string{"channel"}, m.needs...)
		}
		byName[m.name] = &m
	}
	return byName
}
