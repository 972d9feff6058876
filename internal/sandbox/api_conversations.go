package sandbox

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// conversationMethod is what a method does in the conversation of its argument
// channel. member says whether the caller is in it.
type conversationMethod func(c *call, conv *conversation, member bool) (object, error)

// finder looks up the conversation, and says whether the caller is in it.
type finder func(*call) (conv *conversation, member bool, err error)

// in makes a method of what is done in a conversation.
func in(find finder, do conversationMethod) func(*call) (object, error) {
	return func(c *call) (object, error) {
		conv, member, err := find(c)
		if err != nil {
			return nil, err
		}
		return do(c, conv, member)
	}
}

// findSeen finds a conversation that the caller may know of.
func findSeen(c *call) (*conversation, bool, error) { return c.seen(c.a, c.args.text("channel")) }

// findScoped finds one whose kind the caller has the scope for: read or history.
func findScoped(does string) finder {
	return func(c *call) (*conversation, bool, error) {
		conv, member, err := findSeen(c)
		if err != nil {
			return nil, false, err
		}
		return conv, member, c.a.need(conv.Kind.family() + ":" + does)
	}
}

// findManaged finds one that the caller has a scope to change. Topics also have
// their own scopes, and so have invites.
func findManaged(more ...string) finder {
	return func(c *call) (*conversation, bool, error) {
		conv, member, err := findSeen(c)
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

// paged returns the page that the arguments limit and cursor ask for, and the cursor
// of the next. The id that a page begins with must be known. fetch returns rows from
// an id on.
func paged[R any](c *call, word string, def, most int, known func(id string) error, fetch func(from string, limit int) []R, id func(R) string) ([]R, object, error) {
	limit, err := c.args.limit(def, most, true)
	if err != nil {
		return nil, nil, err
	}
	from, err := c.args.cursor(word)
	if err != nil {
		return nil, nil, err
	}
	if from != "" {
		if err := known(from); Code(err) != "" {
			return nil, nil, refuse("invalid_cursor")
		} else if err != nil {
			return nil, nil, err
		}
	}
	rows := fetch(from, limit+1)
	if len(rows) <= limit {
		return rows, nextCursor(word, ""), nil
	}
	return rows[:limit], nextCursor(word, id(rows[limit])), nil
}

// conversationPage returns a page of the conversations that the arguments ask for.
// If a member is given, it lists only theirs.
func (c *call) conversationPage(member string, most int) (rows []*conversation, next object, err error) {
	s := selection{withArchived: !c.args.flag("exclude_archived"), member: member}
	if s.kinds, err = c.kinds(); err != nil {
		return nil, nil, err
	}
	known := func(id string) error {
		_, err := c.conversation(c.a.Team, id)
		return err
	}
	return paged(c, "team", 100, most, known, func(from string, limit int) []*conversation {
		s.from, s.limit = from, limit
		return c.conversations(c.a, s)
	}, func(conv *conversation) string { return conv.ID })
}

func conversationsList(c *call) (object, error) {
	rows, next, err := c.conversationPage("", 1000)
	if err != nil {
		return nil, err
	}
	return object{"channels": each(rows, c.counted), "response_metadata": next}, nil
}

// usersConversations lists the conversations of a member: the caller, or somebody
// else. Of somebody else's private conversations the caller sees those that both
// are in.
func usersConversations(c *call) (object, error) {
	u, err := c.userOrSelf()
	if err != nil {
		return nil, err
	}
	rows, next, err := c.conversationPage(u.ID, 999)
	if err != nil {
		return nil, err
	}
	channels := each(rows, func(row *conversation) object {
		// Slack does not say here whether the caller is a member.
		o := asObject(c.showConversationTo(row, c.a.User, true))
		delete(o, "is_member")
		return o
	})
	return object{"channels": channels, "response_metadata": next}, nil
}

// counted returns a conversation with the number of its members.
func (c *call) counted(row *conversation) Conversation {
	shown := c.showConversation(row, c.a.User)
	if row.Kind != im {
		shown.NumMembers = new(c.countMembers(row.ID))
	}
	return shown
}

func conversationsInfo(c *call, conv *conversation, _ bool) (object, error) {
	if !c.args.flag("include_num_members") {
		return c.shown(conv, nil)
	}
	return object{"channel": c.counted(conv)}, nil
}

func conversationsMembers(c *call, conv *conversation, _ bool) (object, error) {
	ids, next, err := paged(c, "member", 100, 1000, func(id string) error {
		if !c.isMember(conv.ID, id) {
			return refuse("not_in_channel")
		}
		return nil
	}, func(from string, limit int) []string { return c.members(conv.ID, from, limit) }, func(id string) string { return id })
	return object{"members": append([]string{}, ids...), "response_metadata": next}, err
}

func conversationsHistory(c *call, conv *conversation, member bool) (object, error) {
	// A member may read a public channel without being in it; an app must be in it.
	if !member && c.a.IsBot {
		return nil, refuse("not_in_channel")
	}
	s, err := c.span(100, 999, false)
	if err != nil {
		return nil, err
	}
	page := c.history(conv, s)
	more := len(page) > s.limit
	next := ""
	if more {
		next = strconv.FormatInt(page[s.limit].ts, 10)
		page = page[:s.limit]
	}
	if s.forward {
		slices.Reverse(page)
	}
	o := object{"messages": visible(page, c.args.flag("include_all_metadata")), "has_more": more, "pin_count": c.countPins(conv),
		"channel_actions_ts": nil, "channel_actions_count": 0}
	if c.args.text("latest") != "" {
		o["latest"] = c.args.text("latest")
	}
	if more {
		o["response_metadata"] = nextCursor("next_ts", next)
	}
	return o, nil
}

// span reads the bounds of a page and its cursor. The cursor moves the bound at
// which the paging started. In a thread that is always the oldest.
func (c *call) span(def, most int, thread bool) (s span, err error) {
	if s, err = c.args.bounds(); err != nil {
		return s, err
	}
	if s.limit, err = c.args.limit(def, most, false); err != nil {
		return s, err
	}
	from, err := c.args.cursor("next_ts")
	if s.first = from == ""; err != nil || s.first {
		return s, err
	}
	at, err := strconv.ParseInt(from, 10, 64)
	if err != nil {
		return s, refuse("invalid_cursor")
	}
	if s.forward || thread {
		s.oldest = max(s.oldest, at)
	} else {
		s.latest = min(s.latest, at)
	}
	return s, nil
}

func conversationsReplies(c *call, conv *conversation, member bool) (object, error) {
	if !member && c.a.IsBot {
		return nil, refuse("channel_not_found")
	}
	root, err := c.message(conv, c.args.text("ts"))
	if Code(err) == "message_not_found" {
		return nil, refuse("thread_not_found")
	} else if err != nil {
		return nil, err
	}
	s, err := c.span(1000, 1000, true)
	if err != nil {
		return nil, err
	}
	var page []*messageRow
	if s.first {
		// The first message of the thread is on the first page whatever the bounds.
		page = append(page, root)
	}
	if root.threadTS == 0 {
		s.oldest = max(s.oldest, root.ts+1)
		page = append(page, c.replies(conv, root.ts, span{oldest: s.oldest, latest: s.latest, limit: max(s.limit-len(page), 0)})...)
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
	return c.shown(c.createChannel(c.a, c.args.text("name"), k))
}

func (c *call) shown(conv *conversation, err error) (object, error) {
	if err != nil {
		return nil, err
	}
	return object{"channel": c.showConversation(conv, c.a.User)}, nil
}

func conversationsInvite(c *call) (object, error) {
	users := c.args.list("users")
	if len(users) == 0 {
		return nil, refuse("no_user")
	}
	if len(users) > 1000 {
		return nil, refuse("too_many_users")
	}
	return in(findManaged("write.invites"), func(c *call, conv *conversation, _ bool) (object, error) {
		return c.shown(conv, c.invite(c.a, conv, users))
	})(c)
}

func conversationsJoin(c *call, conv *conversation, member bool) (object, error) {
	switch {
	case conv.Kind != public:
		return nil, refuse("method_not_supported_for_channel_type")
	case conv.Archived:
		return nil, refuse("is_archived")
	case member:
		return object{"channel": c.showConversation(conv, c.a.User), "warning": "already_in_channel",
			"response_metadata": object{"warnings": []string{"already_in_channel"}}}, nil
	}
	c.join(conv, c.a.User, "")
	return c.shown(conv, nil)
}

func conversationsLeave(c *call, conv *conversation, member bool) (object, error) {
	if !member {
		return object{"not_in_channel": true}, nil
	}
	return object{}, c.leave(conv, c.a.User)
}

func conversationsRename(c *call, conv *conversation, member bool) (object, error) {
	switch {
	case !conv.Kind.isChannel():
		return nil, refuse("method_not_supported_for_channel_type")
	case !member:
		return nil, refuse("not_in_channel")
	case conv.Archived:
		return nil, refuse("is_archived")
	}
	return c.shown(conv, c.renameChannel(c.a, conv, c.args.text("name")))
}

func conversationsArchive(c *call, conv *conversation, _ bool) (object, error) {
	return object{}, c.archiveChannel(c.a, conv, true)
}

func conversationsUnarchive(c *call, conv *conversation, _ bool) (object, error) {
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
		o["channel"] = c.showConversation(conv, c.a.User)
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
