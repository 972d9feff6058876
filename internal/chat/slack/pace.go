package slack

import (
	"time"

	"frontdesk/internal/remote"
)

// perMinute is how often a method may be called in a workspace, from Slack's tiers.
// Methods that are missing are limited by channel, or by limits that we cannot know
// in advance.
var perMinute = map[string]int{
	"users.list": 20, "conversations.list": 20, "usergroups.list": 20, "reactions.remove": 20, "dnd.teamInfo": 20,
	"conversations.info": 50, "conversations.history": 50, "conversations.replies": 50, "conversations.join": 50, "conversations.open": 50,
	"chat.update": 50, "chat.delete": 50, "reactions.add": 50, "users.getPresence": 50,
	"chat.postEphemeral": 100, "files.getUploadURLExternal": 100, "files.completeUploadExternal": 100, "files.info": 100, "views.open": 100,
	"oauth.v2.access": 100,
}

// perChannel is how many messages a channel accepts: one a second, after a few at
// once.
var perChannel = remote.Limit{Calls: 1, Per: time.Second, Burst: 3}

// queuesOf returns the queues of a call. The first is the method's, and has the pauses
// that Slack asks for.
func queuesOf(workspace, method, channel string) []remote.Queue {
	// Half a minute's calls at once. With those that follow, no minute has more than
	// one and a half times the limit.
	n := perMinute[method]
	all := []remote.Queue{{Name: workspace + " " + method, Limit: remote.Limit{Calls: n, Per: time.Minute, Burst: n / 2}}}
	if method == "chat.postMessage" {
		all = append(all, remote.Queue{Name: workspace + " post " + channel, Limit: perChannel})
	}
	return all
}
