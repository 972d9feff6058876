package sandbox

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// known returns the conversation in the argument channel, if the caller may know of
// it and has the scope for its kind.
func (c *call) known(does string) (*conversation, bool, error) {
	conv, member, err := c.seen(c.a, c.args.text("channel"))
	if err != nil {
		return nil, false, err
	}
	return conv, member, c.a.need(conv.Kind.family() + ":" + does)
}

var typeKinds = map[string]kind{"public_channel": public, "private_channel": private, "im": im, "mpim": mpim}

// kinds returns the kinds in the argument types. Each needs its scope.
func (c *call) kinds() ([]kind, error) {
	kinds := []kind{public}
	if c.args.text("types") != "" {
		kinds = nil
		for _, name := range c.args.list("types") {
			k, ok := typeKinds[name]
			if !ok {
				return nil, refuse("invalid_types")
			}
			kinds = append(kinds, k)
		}
	}
	var need []string
	for _, k := range kinds {
		need = append(need, k.family()+":read")
	}
	for _, scope := range need {
		if !c.a.may(scope) {
			return nil, &Error{Code: "missing_scope", Needed: strings.Join(need, ","), Provided: strings.Join(c.a.Scopes, ",")}
		}
	}
	return kinds, nil
}

// conversationPage returns a page of the conversations that the arguments ask for,
// and the id that the next page begins with. If a member is given, it lists only
// theirs.
func (c *call) conversationPage(member string, most int) (rows []*conversation, next string, err error) {
	s := selection{withArchived: !c.args.flag("exclude_archived"), member: member}
	if s.kinds, err = c.kinds(); err != nil {
		return nil, "", err
	}
	limit, err := c.args.limit(100, most, true)
	if err != nil {
		return nil, "", err
	}
	if s.from, err = c.args.cursor("team"); err != nil {
		return nil, "", err
	}
	if s.from != "" {
		if _, err := c.conversation(c.a.Team, s.from); err != nil {
			return nil, "", refuse("invalid_cursor")
		}
	}
	s.limit = limit + 1
	if rows, err = c.conversations(c.a, s); err != nil {
		return nil, "", err
	}
	if len(rows) > limit {
		next, rows = rows[limit].ID, rows[:limit]
	}
	return rows, next, nil
}

func conversationsList(c *call) (object, error) {
	rows, next, err := c.conversationPage("", 1000)
	if err != nil {
		return nil, err
	}
	channels := []Conversation{}
	for _, row := range rows {
		shown, err := c.counted(row)
		if err != nil {
			return nil, err
		}
		channels = append(channels, shown)
	}
	return object{"channels": channels, "response_metadata": nextCursor("team", next)}, nil
}

// usersConversations lists the conversations of a member: the caller, or somebody
// else. Of somebody else's private conversations the caller sees those that both
// are in.
func usersConversations(c *call) (object, error) {
	id := c.args.text("user")
	if id == "" {
		id = c.a.User
	} else if _, err := c.user(c.a.Team, id); err != nil {
		return nil, err
	}
	rows, next, err := c.conversationPage(id, 999)
	if err != nil {
		return nil, err
	}
	channels := []object{}
	for _, row := range rows {
		shown, err := c.showConversationTo(row, c.a.User, true)
		if err != nil {
			return nil, err
		}
		// Slack does not say here whether the caller is a member.
		o := asObject(shown)
		delete(o, "is_member")
		channels = append(channels, o)
	}
	return object{"channels": channels, "response_metadata": nextCursor("team", next)}, nil
}

// counted returns a conversation with the number of its members.
func (c *call) counted(row *conversation) (Conversation, error) {
	shown, err := c.showConversation(row, c.a.User)
	if err != nil || row.Kind == im {
		return shown, err
	}
	n, err := c.countMembers(row.ID)
	shown.NumMembers = &n
	return shown, err
}

func conversationsInfo(c *call) (object, error) {
	conv, _, err := c.known("read")
	if err != nil {
		return nil, err
	}
	show := func(row *conversation) (Conversation, error) { return c.showConversation(row, c.a.User) }
	if c.args.flag("include_num_members") {
		show = c.counted
	}
	shown, err := show(conv)
	return object{"channel": shown}, err
}

func conversationsMembers(c *call) (object, error) {
	conv, _, err := c.known("read")
	if err != nil {
		return nil, err
	}
	limit, err := c.args.limit(100, 1000, true)
	if err != nil {
		return nil, err
	}
	from, err := c.args.cursor("member")
	if err != nil {
		return nil, err
	}
	if from != "" {
		if in, err := c.isMember(conv.ID, from); err != nil {
			return nil, err
		} else if !in {
			return nil, refuse("invalid_cursor")
		}
	}
	ids, err := c.members(conv.ID, from, limit+1)
	if err != nil {
		return nil, err
	}
	next := ""
	if len(ids) > limit {
		next, ids = ids[limit], ids[:limit]
	}
	return object{"members": append([]string{}, ids...), "response_metadata": nextCursor("member", next)}, nil
}

func conversationsHistory(c *call) (object, error) {
	conv, member, err := c.known("history")
	if err != nil {
		return nil, err
	}
	// A member may read a public channel without being in it; an app must be in it.
	if !member && c.a.IsBot {
		return nil, refuse("not_in_channel")
	}
	s, err := c.page("next_ts", 100, 999)
	if err != nil {
		return nil, err
	}
	page, err := c.history(conv, s)
	if err != nil {
		return nil, err
	}
	more := len(page) > s.limit
	next := ""
	if more {
		next = strconv.FormatInt(page[s.limit].ts, 10)
		page = page[:s.limit]
	}
	if s.forward {
		slices.Reverse(page)
	}
	pins, err := c.countPins(conv)
	if err != nil {
		return nil, err
	}
	o := object{"messages": visible(page, c.args.flag("include_all_metadata")), "has_more": more, "pin_count": pins,
		"channel_actions_ts": nil, "channel_actions_count": 0}
	if c.args.text("latest") != "" {
		o["latest"] = c.args.text("latest")
	}
	if more {
		o["response_metadata"] = nextCursor("next_ts", next)
	}
	return o, nil
}

// page reads the bounds of a page and its cursor. The cursor moves the bound at
// which the paging started.
func (c *call) page(word string, def, most int) (s span, err error) {
	if s, err = c.args.bounds(); err != nil {
		return s, err
	}
	if s.limit, err = c.args.limit(def, most, false); err != nil {
		return s, err
	}
	from, err := c.args.cursor(word)
	if err != nil || from == "" {
		return s, err
	}
	at, err := strconv.ParseInt(from, 10, 64)
	if err != nil {
		return s, refuse("invalid_cursor")
	}
	if s.forward {
		s.oldest = max(s.oldest, at)
	} else {
		s.latest = min(s.latest, at)
	}
	return s, nil
}

func conversationsReplies(c *call) (object, error) {
	conv, member, err := c.known("history")
	if err != nil {
		return nil, err
	}
	if !member && c.a.IsBot {
		return nil, refuse("channel_not_found")
	}
	root, err := c.message(conv, c.args.text("ts"))
	if Code(err) == "message_not_found" {
		return nil, refuse("thread_not_found")
	} else if err != nil {
		return nil, err
	}
	s, err := c.args.bounds()
	if err != nil {
		return nil, err
	}
	if s.limit, err = c.args.limit(1000, 1000, false); err != nil {
		return nil, err
	}
	from, err := c.args.cursor("next_ts")
	if err != nil {
		return nil, err
	}
	var page []*messageRow
	if from != "" {
		at, err := strconv.ParseInt(from, 10, 64)
		if err != nil {
			return nil, refuse("invalid_cursor")
		}
		s.oldest = max(s.oldest, at)
	} else {
		// The first message of the thread is on the first page whatever the bounds.
		page = append(page, root)
	}
	if root.threadTS == 0 {
		s.oldest = max(s.oldest, root.ts+1)
		rest, err := c.replies(conv, root.ts, span{oldest: s.oldest, latest: s.latest, limit: max(s.limit-len(page), 0)})
		if err != nil {
			return nil, err
		}
		page = append(page, rest...)
	}
	more := len(page) > s.limit
	o := object{"has_more": more}
	if more {
		o["response_metadata"] = nextCursor("next_ts", strconv.FormatInt(page[s.limit].ts, 10))
		page = page[:s.limit]
	}
	o["messages"] = visible(page, c.args.flag("include_all_metadata"))
	return o, nil
}

func conversationsCreate(c *call) (object, error) {
	k := public
	scopes := []string{"channels:manage", "channels:write"}
	if c.args.flag("is_private") {
		k, scopes = private, []string{"groups:write"}
	}
	if err := c.a.need(scopes...); err != nil {
		return nil, err
	}
	conv, err := c.createChannel(c.a, c.args.text("name"), k)
	if err != nil {
		return nil, err
	}
	shown, err := c.showConversation(conv, c.a.User)
	return object{"channel": shown}, err
}

// managed returns the conversation in the argument if the caller has a scope to
// change it. Invites and topics also have their own scopes.
func (c *call) managed(more ...string) (*conversation, bool, error) {
	conv, member, err := c.seen(c.a, c.args.text("channel"))
	if err != nil {
		return nil, false, err
	}
	scopes := []string{"channels:manage", "channels:write"}
	if conv.Kind != public {
		scopes = []string{conv.Kind.family() + ":write"}
	}
	for _, s := range more {
		scopes = append(scopes, conv.Kind.family()+":"+s)
	}
	return conv, member, c.a.need(scopes...)
}

func (c *call) shown(conv *conversation, err error) (object, error) {
	if err != nil {
		return nil, err
	}
	shown, err := c.showConversation(conv, c.a.User)
	return object{"channel": shown}, err
}

func conversationsInvite(c *call) (object, error) {
	users := c.args.list("users")
	if len(users) == 0 {
		return nil, refuse("no_user")
	}
	if len(users) > 1000 {
		return nil, refuse("too_many_users")
	}
	conv, _, err := c.managed("write.invites")
	if err != nil {
		return nil, err
	}
	return c.shown(conv, c.invite(c.a, conv, users))
}

func conversationsJoin(c *call) (object, error) {
	conv, member, err := c.seen(c.a, c.args.text("channel"))
	switch {
	case err != nil:
		return nil, err
	case conv.Kind != public:
		return nil, refuse("method_not_supported_for_channel_type")
	case conv.Archived:
		return nil, refuse("is_archived")
	case member:
		o, err := c.shown(conv, nil)
		if err == nil {
			o["warning"] = "already_in_channel"
			o["response_metadata"] = object{"warnings": []string{"already_in_channel"}}
		}
		return o, err
	}
	c.join(conv, c.a.User, "")
	return c.shown(conv, nil)
}

func conversationsLeave(c *call) (object, error) {
	conv, member, err := c.managed()
	if err != nil {
		return nil, err
	}
	if !member {
		return object{"not_in_channel": true}, nil
	}
	return object{}, c.leave(conv, c.a.User)
}

func conversationsRename(c *call) (object, error) {
	conv, member, err := c.managed()
	switch {
	case err != nil:
		return nil, err
	case !conv.Kind.isChannel():
		return nil, refuse("method_not_supported_for_channel_type")
	case !member:
		return nil, refuse("not_in_channel")
	case conv.Archived:
		return nil, refuse("is_archived")
	}
	return c.shown(conv, c.renameChannel(c.a, conv, c.args.text("name")))
}

func conversationsArchive(c *call) (object, error) {
	conv, _, err := c.managed()
	if err != nil {
		return nil, err
	}
	return object{}, c.archiveChannel(c.a, conv, true)
}

func conversationsUnarchive(c *call) (object, error) {
	conv, _, err := c.managed()
	if err != nil {
		return nil, err
	}
	return object{}, c.archiveChannel(c.a, conv, false)
}

func conversationsOpen(c *call) (object, error) {
	conv, existed, err := c.direct()
	if err != nil {
		return nil, err
	}
	o := object{"channel": object{"id": conv.ID}}
	if existed {
		o["no_op"], o["already_open"] = true, true
	}
	if c.args.flag("return_im") {
		shown, err := c.showConversation(conv, c.a.User)
		if err != nil {
			return nil, err
		}
		o["channel"] = shown
	}
	return o, nil
}

// direct returns the direct message that the arguments name, by its id or by its
// members.
func (c *call) direct() (conv *conversation, existed bool, err error) {
	if id := c.args.text("channel"); id != "" {
		conv, _, err = c.seen(c.a, id)
		if err == nil && conv.Kind.isChannel() {
			err = refuse("method_not_supported_for_channel_type")
		}
		return conv, true, err
	}
	if c.args.text("users") == "" {
		return nil, false, refuse("users_list_not_supplied")
	}
	users := without(c.args.list("users"), []string{c.a.User})
	if len(users) > 8 {
		return nil, false, refuse("too_many_users")
	}
	scope := "im:write"
	if len(users) > 1 {
		scope = "mpim:write"
	}
	if err := c.a.need(scope); err != nil {
		return nil, false, err
	}
	if len(users) == 1 && c.a.IsBot {
		if u, err := c.user(c.a.Team, users[0]); err == nil && u.IsBot {
			return nil, false, refuse("cannot_dm_bot")
		}
	}
	return c.directMessage(c.a, users)
}

// everything is a page that holds a whole conversation.
var everything = span{latest: math.MaxInt64, limit: 1 << 30}
