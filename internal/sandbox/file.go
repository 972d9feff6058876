package sandbox

import (
	"context"
	"fmt"
	"mime"
	"path"
	"slices"
	"strings"
)

// fileRow is a file as stored, without its bytes.
type fileRow struct {
	ID, TeamID, User, App string
	Name, Title, AltText  string
	Size                  int64
	Complete              bool
	Deleted               bool
	Created               int64 // milliseconds
	shares                []share
}

// share is a message that shows a file.
type share struct {
	file         string
	Conversation string
	ChannelName  string
	Kind         kind
	TS, ThreadTS int64
}

// File is a file as Slack shows it.
type File struct {
	ID                 string                       `json:"id"`
	Created            int64                        `json:"created"`
	Timestamp          int64                        `json:"timestamp"`
	Name               string                       `json:"name"`
	Title              string                       `json:"title"`
	Mimetype           string                       `json:"mimetype"`
	Filetype           string                       `json:"filetype"`
	PrettyType         string                       `json:"pretty_type"`
	User               string                       `json:"user"`
	UserTeam           string                       `json:"user_team"`
	Editable           bool                         `json:"editable"`
	Size               int64                        `json:"size"`
	Mode               string                       `json:"mode"`
	IsExternal         bool                         `json:"is_external"`
	ExternalType       string                       `json:"external_type"`
	IsPublic           bool                         `json:"is_public"`
	PublicURLShared    bool                         `json:"public_url_shared"`
	DisplayAsBot       bool                         `json:"display_as_bot"`
	Username           string                       `json:"username"`
	URLPrivate         string                       `json:"url_private"`
	URLPrivateDownload string                       `json:"url_private_download"`
	Permalink          string                       `json:"permalink"`
	AltTxt             string                       `json:"alt_txt,omitempty"`
	CommentsCount      int                          `json:"comments_count"`
	IsStarred          bool                         `json:"is_starred"`
	Shares             map[string]map[string][]Sent `json:"shares"`
	Channels           []string                     `json:"channels"`
	Groups             []string                     `json:"groups"`
	IMs                []string                     `json:"ims"`
	HasRichPreview     bool                         `json:"has_rich_preview"`
	FileAccess         string                       `json:"file_access"`
}

// Sent is one message that shows a file.
type Sent struct {
	TS          string `json:"ts"`
	ThreadTS    string `json:"thread_ts,omitempty"`
	ChannelName string `json:"channel_name"`
	TeamID      string `json:"team_id"`
}

// MarshalJSON shows only that a deleted file was there.
func (f File) MarshalJSON() ([]byte, error) {
	if f.Mode == tombstone {
		return encode(object{"id": f.ID, "mode": f.Mode}), nil
	}
	type whole File
	return encode(whole(f)), nil
}

// tombstone is the mode of a deleted file in a message that shows it.
const tombstone = "tombstone"

const fileColumns = "SELECT f.id, f.team_id, f.user_id, f.app_id, f.name, f.title, f.alt_text, f.size, f.complete, f.deleted_at, f.created_at FROM files f "

func scanFile(scan func(...any) error) (f fileRow, err error) {
	var deleted int64
	err = scan(&f.ID, &f.TeamID, &f.User, &f.App, &f.Name, &f.Title, &f.AltText, &f.Size, &f.Complete, &deleted, &f.Created)
	f.Deleted = deleted != 0
	return f, err
}

// file returns a file of a team with the places where it is shown.
func (t *tx) file(team, id string) (fileRow, error) {
	f, err := scanFile(t.Row(fileColumns+"WHERE f.team_id = $1 AND f.id = $2", team, id).Scan)
	if err != nil {
		return f, missing(err, "file_not_found")
	}
	f.shares = rowsOf(t, scanShare, shareColumns+"WHERE s.file_id = $1 ORDER BY s.n", id)
	return f, nil
}

const shareColumns = `SELECT s.file_id, c.id, c.name, c.kind, s.ts, m.thread_ts FROM file_shares s
	JOIN conversations c ON c.id = s.conversation_id
	JOIN messages m ON m.conversation_id = s.conversation_id AND m.ts = s.ts `

func scanShare(scan func(...any) error) (s share, err error) {
	err = scan(&s.file, &s.Conversation, &s.ChannelName, &s.Kind, &s.TS, &s.ThreadTS)
	return s, err
}

// filePage returns a page of the files that meet a condition on f, newest first,
// with the places where each is shown, and the number of all that meet it.
func (t *tx) filePage(where string, args []any, count, page int) (rows []fileRow, total int) {
	total = int(t.number("SELECT count(*) FROM files f WHERE "+where, args...))
	if page > (total+count-1)/count {
		return nil, total
	}
	n := len(args)
	within := fmt.Sprintf("WHERE %s ORDER BY f.created_at DESC, f.n DESC LIMIT $%d OFFSET $%d", where, n+1, n+2)
	args = append(slices.Clone(args), count, (page-1)*count)
	rows = rowsOf(t, scanFile, fileColumns+within, args...)
	// Only places where the caller, who is $2 of the condition, may know of the
	// conversation.
	shares := rowsOf(t, scanShare, shareColumns+`WHERE s.file_id IN (SELECT id FROM (SELECT f.id FROM files f `+within+`) AS page)
		AND (c.kind = 'public' OR EXISTS (SELECT 1 FROM conversation_members o WHERE o.conversation_id = c.id AND o.user_id = $2)) ORDER BY s.n`, args...)
	of := map[string][]share{}
	for _, s := range shares {
		of[s.file] = append(of[s.file], s)
	}
	for i := range rows {
		rows[i].shares = of[rows[i].ID]
	}
	return rows, total
}

// seenFile returns a file that the caller may open: their own, or one shown in a
// conversation they may know of.
func (t *tx) seenFile(a *actor, id string) (fileRow, error) {
	f, err := t.file(a.Team, id)
	if err != nil {
		return f, err
	}
	var seen []share
	for _, s := range f.shares {
		if _, _, err := t.seen(a, s.Conversation); err == nil {
			seen = append(seen, s)
		}
	}
	if f.shares = seen; seen == nil && f.User != a.User {
		return f, refuse("file_not_found")
	}
	return f, nil
}

// deleteFile removes a file, for its uploader and for the workspace's owner. The
// messages that show it stay, and say that it is gone.
func (t *tx) deleteFile(a *actor, f fileRow) error {
	if f.User != a.User {
		if err := t.needOwner(a, "cant_delete_file"); err != nil {
			return err
		}
	}
	// All places, including those that the caller does not see.
	f, err := t.file(f.TeamID, f.ID)
	if err != nil {
		return err
	}
	type shown struct {
		in     *conversation
		before Message
		ts     string
	}
	var messages []shown
	for _, s := range f.shares {
		c, err := t.conversation(f.TeamID, s.Conversation)
		if err != nil {
			return err
		}
		m, err := t.message(c, showTS(s.TS))
		if err != nil {
			return err
		}
		messages = append(messages, shown{c, m.Message, m.TS})
	}
	t.run("UPDATE files SET content = NULL, deleted_at = $2 WHERE id = $1", f.ID, t.millis())
	for _, s := range messages {
		m, err := t.message(s.in, s.ts)
		if err != nil {
			return err
		}
		t.recordChange(s.in, s.before, m)
	}
	t.record(event{name: "file_deleted", team: f.TeamID, says: object{"file_id": f.ID}})
	return nil
}

func (t *tx) showFile(f fileRow) File {
	if f.Deleted {
		return File{ID: f.ID, Mode: tombstone}
	}
	shown := File{
		ID: f.ID, Created: f.Created / 1000, Timestamp: f.Created / 1000, Name: f.Name, Title: f.Title,
		Mimetype: mimetype(f.Name), Filetype: strings.TrimPrefix(strings.ToLower(path.Ext(f.Name)), "."),
		User: f.User, UserTeam: f.TeamID, Size: f.Size, Mode: "hosted", AltTxt: f.AltText,
		URLPrivate:         t.s.url("/files-pri/%s-%s/%s", f.TeamID, f.ID, urlName(f.Name)),
		URLPrivateDownload: t.s.url("/files-pri/%s-%s/download/%s", f.TeamID, f.ID, urlName(f.Name)),
		Permalink:          t.s.url("/files/%s/%s/%s", f.User, f.ID, urlName(f.Name)),
		Shares:             map[string]map[string][]Sent{}, Channels: []string{}, Groups: []string{}, IMs: []string{}, FileAccess: "visible",
	}
	shown.PrettyType = strings.ToUpper(shown.Filetype)
	if shown.Filetype == "" {
		shown.Filetype, shown.PrettyType = "binary", "Binary"
	}
	for _, s := range f.shares {
		room := "private"
		switch s.Kind {
		case public:
			room, shown.IsPublic = "public", true
			shown.Channels = appendNew(shown.Channels, s.Conversation)
		case im:
			shown.IMs = appendNew(shown.IMs, s.Conversation)
		default:
			shown.Groups = appendNew(shown.Groups, s.Conversation)
		}
		if shown.Shares[room] == nil {
			shown.Shares[room] = map[string][]Sent{}
		}
		shown.Shares[room][s.Conversation] = append(shown.Shares[room][s.Conversation],
			Sent{TS: showTS(s.TS), ThreadTS: showTS(s.ThreadTS), ChannelName: s.ChannelName, TeamID: f.TeamID})
	}
	return shown
}

func appendNew(list []string, s string) []string {
	if len(list) > 0 && list[len(list)-1] == s {
		return list
	}
	return append(list, s)
}

// urlName returns a file's name as it may appear in an address.
func urlName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '.', r == '-', r == '_':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, name)
}

// mimetype uses only the name, and not the machine's list of types.
func mimetype(name string) string {
	known := map[string]string{
		".txt": "text/plain", ".log": "text/plain", ".md": "text/plain", ".csv": "text/csv", ".json": "application/json",
		".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".svg": "image/svg+xml", ".webp": "image/webp",
		".pdf": "application/pdf", ".zip": "application/zip", ".html": "text/html", ".mp4": "video/mp4", ".mp3": "audio/mpeg",
	}
	ext := strings.ToLower(path.Ext(name))
	if m := known[ext]; m != "" {
		return m
	}
	if m, _, err := mime.ParseMediaType(mime.TypeByExtension(ext)); err == nil {
		return m
	}
	return "application/octet-stream"
}

// ticket is a place for the bytes of a file that will be uploaded.
type ticket struct {
	ID, Key string
}

func (t *tx) addFile(a *actor, name, altText string, size int64) ticket {
	k := ticket{ID: newID("F"), Key: newSecret(40)}
	t.run(`INSERT INTO files (id, team_id, user_id, app_id, upload_key, name, title, alt_text, size, complete, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		k.ID, a.Team, a.User, a.App, k.Key, name, name, altText, size, false, t.millis())
	return k
}

// storeFile stores the bytes sent to an upload address. It returns file_not_found
// if the address is not valid, or no longer.
func (s *Sandbox) storeFile(ctx context.Context, key string, content []byte) error {
	return s.write(ctx, func(t *tx) error {
		return t.runOr("file_not_found", "UPDATE files SET content = $2, size = $3 WHERE upload_key = $1 AND upload_key <> ''", key, content, len(content))
	})
}

// completeFile completes the caller's upload after its bytes have come.
func (t *tx) completeFile(a *actor, id, title string) error {
	return t.runOr("file_not_found", `UPDATE files SET complete = $4, upload_key = '', title = CASE WHEN $5 = '' THEN title ELSE $5 END
		WHERE id = $1 AND team_id = $2 AND user_id = $3 AND content IS NOT NULL AND NOT complete`, id, a.Team, a.User, true, title)
}

// shareFiles records where the files of a new message are shown.
func (t *tx) shareFiles(c *conversation, m *messageRow) {
	for _, id := range m.fileIDs {
		t.run("INSERT INTO file_shares (file_id, conversation_id, ts) VALUES ($1, $2, $3)", id, c.ID, m.ts)
		t.record(event{name: "file_shared", team: c.TeamID, channel: c,
			says: object{"channel_id": c.ID, "file_id": id, "user_id": m.User, "file": object{"id": id}}})
	}
}
