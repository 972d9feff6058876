package rest

import (
	"strings"

	"frontdesk/internal/desk"
)

// newLink reads which request is linked to which ticket of another system.
func newLink(b object) desk.NewLink {
	b.demand("data")
	data := b.inside("data")
	data.refuseFiles(filesInJSON)
	sync := data.inside("sync_config")
	n := desk.NewLink{
		System: desk.TicketType(strings.ToLower(data.required("integration"))), Ticket: data.required("ticket_id"),
		Sync: desk.SyncConfig{
			Forward: sync.flag("should_forward_sync_comments"), Backward: sync.flag("should_backward_sync_comments"),
			Notifiable: notifiable(sync), Alert: sync.flag("should_send_alert_message"),
		},
		Task: data.isSet("is_task"),
	}
	readLinked(data, &n)
	return n
}

// readLinked reads which request is linked. It is given either by request_id alone,
// or by a message of the chat system and its related fields.
func readLinked(data object, n *desk.NewLink) {
	byMessage := []string{"message_ts", "channel_id", "message_source"}
	if data.has("request_id") {
		if data.read("request_id", "a whole number", &n.Request) && n.Request < 1 {
			data.problems.Add(data.at+"request_id", "must be a positive whole number")
		}
		for _, name := range byMessage {
			if data.has(name) {
				data.problems.Add(data.at+name, "cannot be combined with request_id")
			}
		}
		return
	}
	n.Message, n.Channel = data.required("message_ts"), data.required("channel_id")
	if source := data.required("message_source"); source != "" && !strings.EqualFold(source, "chat_channel") && !strings.EqualFold(source, "slack_channel") {
		data.problems.Add(data.at+"message_source", "must be chat_channel")
	}
}
