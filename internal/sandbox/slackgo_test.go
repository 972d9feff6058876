package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
)

// api returns the published Go client for the sandbox.
func (w *world) api(token string) *slack.Client {
	return slack.New(token, slack.OptionAPIURL(w.url+"/sandbox/api/"))
}

// codeOf returns the refusal that the client saw.
func codeOf(err error) string {
	var e slack.SlackErrorResponse
	if errors.As(err, &e) {
		return e.Err
	}
	if err != nil {
		return "not Slack's: " + err.Error()
	}
	return ""
}

func TestSlackGoPeople(t *testing.T) {
	w := newWorld(t)
	api := w.api(w.in.BotToken)
	maya := w.person("Maya")

	auth := must(api.AuthTest())
	want(t, "auth.test", []string{auth.TeamID, auth.UserID, auth.BotID, auth.URL}, []string{w.team, w.in.BotUserID, w.in.BotID, w.url + "/sandbox/"})
	_, err := w.api("xoxb-no").AuthTest()
	want(t, "auth.test", codeOf(err), "invalid_auth")

	var names []string
	for p := api.GetUsersPaginated(slack.GetUsersOptionLimit(3)); ; {
		if p, err = p.Next(w.ctx); p.Done(err) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, u := range p.Users {
			names = append(names, u.RealName)
		}
	}
	want(t, "users.list", len(names), 10)
	u := must(api.GetUserInfo(maya))
	want(t, "users.info", []any{u.Name, u.Profile.Email, u.TZ, u.IsBot, u.Deleted, u.Profile.DisplayName, u.Profile.Image72 != ""},
		[]any{"maya", "maya@desk.test", "Europe/Stockholm", false, false, "Maya", true})
	_, err = api.GetUserInfo("U0")
	want(t, "users.info", codeOf(err), "user_not_found")
	want(t, "users.lookupByEmail", must(api.GetUserByEmail("maya@desk.test")).ID, maya)
	_, err = api.GetUserByEmail("x@y.test")
	want(t, "users.lookupByEmail", codeOf(err), "users_not_found")
	want(t, "users.getPresence", must(api.GetUserPresence(maya)).Presence, "active")
	want(t, "dnd.teamInfo", must(api.GetDNDTeamInfo([]string{maya}))[maya].Enabled, false)

	g := must(w.s.CreateUsergroup(w.ctx, w.owner, "Support", "support", []string{maya}))
	groups := must(api.GetUserGroups(slack.GetUserGroupsOptionIncludeUsers(true), slack.GetUserGroupsOptionIncludeCount(true)))
	want(t, "usergroups.list", []any{groups[0].ID, groups[0].Handle, groups[0].Users}, []any{g.ID, "support", []string{maya}})
	want(t, "usergroups.users.list", must(api.GetUserGroupMembers(g.ID)), []string{maya})

	_, err = w.api(w.botWith("chat:write")).GetUserInfo(maya)
	var e slack.SlackErrorResponse
	if !errors.As(err, &e) || e.Err != "missing_scope" || e.Needed != "users:read" || e.Provided != "chat:write" {
		t.Errorf("missing_scope: %v", err)
	}
}

func TestSlackGoConversations(t *testing.T) {
	w := newWorld(t)
	api := w.api(w.in.BotToken)
	maya := w.person("Maya")

	c := must(api.CreateConversation(slack.CreateConversationParams{ChannelName: "desk"}))
	want(t, "conversations.create", []any{c.Name, c.IsChannel, c.IsPrivate, c.IsMember, c.Creator}, []any{"desk", true, false, true, w.in.BotUserID})
	_, err := api.CreateConversation(slack.CreateConversationParams{ChannelName: "desk"})
	want(t, "conversations.create", codeOf(err), "name_taken")
	p := must(api.CreateConversation(slack.CreateConversationParams{ChannelName: "closed", IsPrivate: true}))
	want(t, "private", p.IsPrivate, true)
	must(api.InviteUsersToConversation(c.ID, maya))
	_, err = api.InviteUsersToConversation(c.ID, maya)
	want(t, "conversations.invite", codeOf(err), "already_in_channel")
	_, warning, _, err := api.JoinConversation(c.ID)
	want(t, "conversations.join", []any{warning, err}, []any{"already_in_channel", nil})
	info := must(api.GetConversationInfo(&slack.GetConversationInfoInput{ChannelID: c.ID, IncludeNumMembers: true}))
	want(t, "conversations.info", info.NumMembers, 2)
	members, _, err := api.GetUsersInConversation(&slack.GetUsersInConversationParameters{ChannelID: c.ID})
	want(t, "conversations.members", []any{members, err}, []any{[]string{w.in.BotUserID, maya}, nil})

	var names []string
	params := &slack.GetConversationsParameters{Limit: 2, Types: []string{"public_channel", "private_channel"}}
	for {
		page, next, err := api.GetConversations(params)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page {
			names = append(names, c.Name)
		}
		if params.Cursor = next; next == "" {
			break
		}
	}
	want(t, "conversations.list", names, []string{"general", "desk", "closed"})
	_, _, err = api.GetConversations(&slack.GetConversationsParameters{Cursor: "x"})
	want(t, "conversations.list", codeOf(err), "invalid_cursor")

	dm, _, open, err := api.OpenConversation(&slack.OpenConversationParameters{Users: []string{maya}, ReturnIM: true})
	want(t, "conversations.open", []any{dm.IsIM, dm.User, open, err}, []any{true, maya, false, nil})
	again, _, open, _ := api.OpenConversation(&slack.OpenConversationParameters{Users: []string{maya}})
	want(t, "conversations.open again", []any{again.ID, open}, []any{dm.ID, true})
}

func TestSlackGoMessages(t *testing.T) {
	w := newWorld(t)
	api := w.api(w.in.BotToken)
	maya := w.person("Maya")
	c := w.channel("desk", maya)

	metadata := slack.SlackMetadata{EventType: "reply", EventPayload: map[string]any{"id": "7"}}
	channel, ts, err := api.PostMessage(c, slack.MsgOptionText("Hello", false), slack.MsgOptionMetadata(metadata), slack.MsgOptionDisableLinkUnfurl(),
		slack.MsgOptionBlocks(slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn", "*Hello*", false, false), nil, nil),
			slack.NewActionBlock("a", slack.NewButtonBlockElement("go", "7", slack.NewTextBlockObject("plain_text", "Go", false, false)))))
	want(t, "chat.postMessage", []any{channel, err}, []any{c, nil})
	_, reply, err := api.PostMessage(c, slack.MsgOptionText("In a thread", false), slack.MsgOptionTS(ts), slack.MsgOptionUsername("Ines"), slack.MsgOptionIconURL("http://x.test/i.png"))
	want(t, "chat.postMessage", err, nil)
	_, _, err = api.PostMessage("C0", slack.MsgOptionText("x", false))
	want(t, "chat.postMessage", codeOf(err), "channel_not_found")
	_, _, err = api.PostMessage(c)
	want(t, "chat.postMessage", codeOf(err), "no_text")

	h := must(api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: c, Limit: 1, IncludeAllMetadata: true}))
	m := h.Messages[0]
	want(t, "conversations.history", []any{m.Text, m.Timestamp, m.Metadata.EventType, m.Metadata.EventPayload["id"], m.ReplyCount, m.BotProfile.AppID, h.HasMore, len(m.Blocks.BlockSet)},
		[]any{"Hello", ts, "reply", "7", 1, w.app.ID, true, 2})
	next := must(api.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: c, Limit: 1, Cursor: h.ResponseMetaData.NextCursor}))
	want(t, "next page", next.Messages[0].SubType, "channel_join")
	thread, more, _, err := api.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: c, Timestamp: ts})
	want(t, "conversations.replies", []any{len(thread), more, err}, []any{2, false, nil})
	want(t, "reply", []any{thread[1].Timestamp, thread[1].ThreadTimestamp, thread[1].SubType, thread[1].Username}, []any{reply, ts, "bot_message", "Ines"})

	_, _, text, err := api.UpdateMessage(c, ts, slack.MsgOptionText("Changed", false))
	want(t, "chat.update", []any{text, err}, []any{"Changed", nil})
	_, _, _, err = api.UpdateMessage(c, "1.000001", slack.MsgOptionText("x", false))
	want(t, "chat.update", codeOf(err), "message_not_found")
	must(api.PostEphemeral(c, maya, slack.MsgOptionText("psst", false)))
	want(t, "chat.getPermalink", strings.HasSuffix(must(api.GetPermalink(&slack.PermalinkParameters{Channel: c, Ts: ts})), "/p"+strings.ReplaceAll(ts, ".", "")), true)

	ref := slack.NewRefToMessage(c, ts)
	want(t, "reactions.add", []string{codeOf(api.AddReaction("eyes", ref)), codeOf(api.AddReaction("eyes", ref))}, []string{"", "already_reacted"})
	item := must(api.GetReactions(ref, slack.NewGetReactionsParameters()))
	want(t, "reactions.get", []any{item.Reactions[0].Name, item.Reactions[0].Users, item.Message.Text}, []any{"eyes", []string{w.in.BotUserID}, "Changed"})
	want(t, "reactions.remove", []string{codeOf(api.RemoveReaction("eyes", ref)), codeOf(api.RemoveReaction("eyes", ref))}, []string{"", "no_reaction"})

	_, _, err = api.DeleteMessage(c, reply)
	want(t, "chat.delete", codeOf(err), "")
	_, _, err = api.DeleteMessage(c, reply)
	want(t, "chat.delete", codeOf(err), "message_not_found")
}

func TestSlackGoFiles(t *testing.T) {
	w := newWorld(t)
	api := w.api(w.in.BotToken)
	c := w.channel("desk")
	f := must(api.UploadFile(slack.UploadFileParameters{Content: "hello", Filename: "a.txt", Title: "A", FileSize: 5, Channel: c, InitialComment: "see"}))
	info, _, _, err := api.GetFileInfo(f.ID, 0, 0)
	want(t, "files.info", []any{info.Title, info.Size, info.Channels, err}, []any{"A", 5, []string{c}, nil})
	var b bytes.Buffer
	want(t, "download", []any{api.GetFile(info.URLPrivateDownload, &b), b.String()}, []any{nil, "hello"})
	if err := w.api("xoxb-no").GetFile(info.URLPrivate, &b); err == nil || !strings.Contains(err.Error(), "sign-in page") {
		t.Errorf("without access: %v", err)
	}
	_, err = api.UploadFile(slack.UploadFileParameters{Content: "hello", Filename: "a.txt", FileSize: 5, Channel: "C0"})
	want(t, "files.completeUploadExternal", codeOf(errors.Unwrap(err)) == "channel_not_found" || codeOf(err) == "channel_not_found", true)
}

func TestSlackGoWorkspace(t *testing.T) {
	w := newWorld(t)
	api := w.api(w.in.BotToken)
	maya := w.person("Maya")
	c := w.channel("desk", maya)
	if err := w.s.As(maya).AddEmoji(w.ctx, NewEmoji{Name: "squirrel", URL: "https://x.test/s.png"}); err != nil {
		t.Fatal(err)
	}

	channels, next, err := api.GetConversationsForUser(&slack.GetConversationsForUserParameters{UserID: maya, Limit: 1, Types: []string{"public_channel", "im"}})
	want(t, "users.conversations", []any{channels[0].Name, next != "", err}, []any{"general", true, nil})
	channels, next, err = api.GetConversationsForUser(&slack.GetConversationsForUserParameters{UserID: maya, Limit: 1, Types: []string{"public_channel", "im"}, Cursor: next})
	want(t, "users.conversations", []any{channels[0].ID, next, err}, []any{c, "", nil})
	p := must(api.GetUserProfile(&slack.GetUserProfileParameters{UserID: maya}))
	want(t, "users.profile.get", []any{p.RealName, p.Email, p.Title}, []any{"Maya Lindqvist", "maya@desk.test", "Support lead"})
	_, err = api.GetUserProfile(&slack.GetUserProfileParameters{UserID: "U0"})
	want(t, "users.profile.get", codeOf(err), "user_not_found")
	bot := must(api.GetBotInfo(slack.GetBotInfoParameters{Bot: w.in.BotID}))
	want(t, "bots.info", []any{bot.ID, bot.Name, bot.AppID, bot.UserID, bot.Deleted}, []any{w.in.BotID, "Desk", w.app.ID, w.in.BotUserID, false})
	team := must(api.GetTeamInfo())
	want(t, "team.info", []any{team.ID, team.Name, team.Domain}, []any{w.team, "Acme", "acme"})
	want(t, "emoji.list", must(api.GetEmoji()), map[string]string{"squirrel": "https://x.test/s.png"})
	want(t, "conversations.setTopic", must(api.SetTopicOfConversation(c, "Ships")).Topic.Value, "Ships")
	want(t, "conversations.setPurpose", must(api.SetPurposeOfConversation(c, "Shipping")).Purpose.Value, "Shipping")
	_, err = api.SetTopicOfConversation(c, strings.Repeat("x", 251))
	want(t, "conversations.setTopic", codeOf(err), "too_long")

	_, ts, err := api.PostMessage(c, slack.MsgOptionText("pinned", false))
	want(t, "chat.postMessage", err, nil)
	item := slack.NewRefToMessage(c, ts)
	want(t, "pins.add", []string{codeOf(api.AddPin(c, item)), codeOf(api.AddPin(c, item))}, []string{"", "already_pinned"})
	items, _, err := api.ListPins(c)
	want(t, "pins.list", []any{len(items), items[0].Type, items[0].Message.Text, err}, []any{1, "message", "pinned", nil})
	want(t, "pins.remove", []string{codeOf(api.RemovePin(c, item)), codeOf(api.RemovePin(c, item))}, []string{"", "no_pin"})

	f := must(api.UploadFile(slack.UploadFileParameters{Content: "hello", Filename: "a.txt", FileSize: 5, Channel: c}))
	files, paging, err := api.GetFiles(slack.GetFilesParameters{Channel: c, Count: 10})
	want(t, "files.list", []any{len(files), files[0].ID, paging.Total, paging.Pages, err}, []any{1, f.ID, 1, 1, nil})
	want(t, "files.delete", []string{codeOf(api.DeleteFile(f.ID)), codeOf(api.DeleteFile(f.ID))}, []string{"", "file_deleted"})

	channel, id, err := api.ScheduleMessage(c, w.later(time.Hour), slack.MsgOptionText("later", false))
	want(t, "chat.scheduleMessage", []any{channel, err}, []any{c, nil})
	waiting, _, err := api.GetScheduledMessages(&slack.GetScheduledMessagesParameters{Channel: c})
	want(t, "chat.scheduledMessages.list", []any{len(waiting), waiting[0].ID, waiting[0].Text, strconv.Itoa(waiting[0].PostAt), err}, []any{1, id, "later", w.later(time.Hour), nil})
	_, err = api.DeleteScheduledMessage(&slack.DeleteScheduledMessageParameters{Channel: c, ScheduledMessageID: id})
	want(t, "chat.deleteScheduledMessage", codeOf(err), "")
	_, err = api.DeleteScheduledMessage(&slack.DeleteScheduledMessageParameters{Channel: c, ScheduledMessageID: id})
	want(t, "chat.deleteScheduledMessage", codeOf(err), "invalid_scheduled_message_id")
}

func TestSlackGoViewsAndOAuth(t *testing.T) {
	w := newWorld(t)
	api := w.api(w.in.BotToken)
	c := w.channel("desk", w.person("Maya"))
	_, _, heard := w.pressed(c, "go", "")
	var press slack.InteractionCallback
	if err := json.Unmarshal(encode(heard.json), &press); err != nil {
		t.Fatal(err)
	}
	want(t, "interaction", []any{press.Type, press.User.ID, press.Channel.ID, press.ActionCallback.BlockActions[0].ActionID, press.ActionCallback.BlockActions[0].Value},
		[]any{slack.InteractionTypeBlockActions, w.person("Maya"), c, "go", "7"})
	var view slack.ModalViewRequest
	if err := json.Unmarshal([]byte(modal), &view); err != nil {
		t.Fatal(err)
	}
	v := must(api.OpenView(press.TriggerID, view))
	want(t, "views.open", []any{v.CallbackID, v.PrivateMetadata, v.AppID}, []any{"form", "p", w.app.ID})
	_, err := api.OpenView(press.TriggerID, view)
	want(t, "views.open", codeOf(err), "exchanged_trigger_id")
	view.PrivateMetadata = "q"
	want(t, "views.update", must(api.UpdateView(view, "", v.Hash, v.ID)).PrivateMetadata, "q")
	_, err = api.UpdateView(view, "", v.Hash, v.ID)
	want(t, "views.update", codeOf(err), "hash_conflict")
	if err := slack.PostWebhook(press.ResponseURL, &slack.WebhookMessage{Text: "done", ReplaceOriginal: true}); err != nil {
		t.Errorf("response_url: %v", err)
	}

	back, _ := w.authorize(args("client_id", w.app.ClientID, "scope", "chat:write", "user_scope", "users:read"))
	o := must(slack.GetOAuthV2Response(http.DefaultClient, w.app.ClientID, w.app.ClientSecret, back.Query().Get("code"), "", slack.OAuthOptionAPIURL(w.url+"/sandbox/api/")))
	want(t, "oauth.v2.access", []string{o.AccessToken, o.TokenType, o.BotUserID, o.Team.ID, o.AppID, o.AuthedUser.ID}, []string{w.in.BotToken, "bot", w.in.BotUserID, w.team, w.app.ID, w.owner})
	_, err = slack.GetOAuthV2Response(http.DefaultClient, w.app.ClientID, "x", "y", "", slack.OAuthOptionAPIURL(w.url+"/sandbox/api/"))
	want(t, "oauth.v2.access", codeOf(err), "bad_client_secret")
}

// The client's own parser and verifier accept our callbacks as Slack's.
func TestSlackGoEvents(t *testing.T) {
	w := newWorld(t)
	w.clock.Advance(time.Since(w.clock.Now())) // the verifier knows only the real time
	w.run()
	c := w.channel("desk", w.person("Maya"))
	m := must(w.s.As(w.person("Maya")).Post(w.ctx, c, "Hello"))
	must(w.s.As(w.person("Maya")).Edit(w.ctx, c, m.TS, "Hello there"))
	if err := w.s.As(w.person("Maya")).React(w.ctx, c, m.TS, "eyes"); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for !seen["reaction"] {
		got := w.rec.next()
		v := must(slack.NewSecretsVerifier(got.header, w.app.SigningSecret))
		v.Write(got.body)
		if err := v.Ensure(); err != nil {
			t.Fatal(err)
		}
		e := must(slackevents.ParseEvent(got.body, slackevents.OptionNoVerifyToken()))
		switch inner := e.InnerEvent.Data.(type) {
		case *slackevents.MessageEvent:
			switch inner.SubType {
			case "":
				want(t, "message", []any{inner.Text, inner.User, inner.Channel, inner.TimeStamp}, []any{"Hello", w.person("Maya"), c, m.TS})
				seen["message"] = true
			case "message_changed":
				want(t, "message_changed", []any{inner.Message.Text, inner.PreviousMessage.Text}, []any{"Hello there", "Hello"})
				seen["changed"] = true
			}
		case *slackevents.MemberJoinedChannelEvent:
			want(t, "member_joined_channel", inner.Channel, c)
			seen["joined"] = true
		case *slackevents.ReactionAddedEvent:
			want(t, "reaction_added", []any{inner.Reaction, inner.Item.Timestamp}, []any{"eyes", m.TS})
			seen["reaction"] = true
		}
	}
	want(t, "seen", seen, map[string]bool{"message": true, "changed": true, "joined": true, "reaction": true})
}

func TestSlackGoRateLimit(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Pace.On = true })
	c := w.channel("desk")
	api := w.api(w.in.BotToken)
	_, _, err := api.PostMessage(c, slack.MsgOptionText("a", false))
	want(t, "first", err, nil)
	_, _, err = api.PostMessage(c, slack.MsgOptionText("b", false))
	var e *slack.RateLimitedError
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	want(t, "Retry-After", strconv.Itoa(int(e.RetryAfter.Seconds())), "1")
}
