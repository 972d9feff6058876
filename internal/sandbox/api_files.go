package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func filesGetUploadURL(c *call) (object, error) {
	size, err := strconv.ParseInt(c.args.text("length"), 10, 64)
	switch {
	case c.args.text("filename") == "" || err != nil || size < 1:
		return nil, refuse("missing_argument")
	case size > c.s.cfg.MaxFile:
		return nil, refuse("file_upload_size_restricted")
	case c.args.text("snippet_type") != "" && size > 1<<20:
		return nil, refuse("snippet_too_large")
	case utf8.RuneCountInString(c.args.text("alt_txt")) > 1000:
		return nil, refuse("alt_txt_too_large")
	}
	k := c.addFile(c.a, c.args.text("filename"), c.args.text("alt_txt"), size)
	return object{"file_id": k.ID, "upload_url": c.s.url("/upload/v1/%s", k.Key)}, nil
}

func filesCompleteUpload(c *call) (object, error) {
	var files []struct{ ID, Title string }
	if json.Unmarshal(c.args.raw("files"), &files) != nil || len(files) == 0 {
		return nil, invalid("must be an array of files [json-pointer:/files]")
	}
	channels := c.args.list("channels")
	if id := c.args.text("channel_id"); id != "" {
		channels = []string{id}
	}
	p := posting{Text: c.args.text("initial_comment"), Blocks: c.args.raw("blocks"), ThreadTS: c.args.text("thread_ts")}
	shown := []File{}
	for _, f := range files {
		if err := c.completeFile(c.a, f.ID, f.Title); err != nil {
			return nil, err
		}
		p.fileIDs = append(p.fileIDs, f.ID)
		row, err := c.file(c.a.Team, f.ID)
		if err != nil {
			return nil, err
		}
		// Shown before they are shared: Slack answers first, and files.info shows
		// later where they went.
		shown = append(shown, c.showFile(row))
	}
	for _, id := range channels {
		conv, member, err := c.seen(c.a, id)
		switch {
		case err != nil:
			return nil, err
		case !member:
			return nil, refuse("not_in_channel")
		case conv.Archived:
			return nil, refuse("is_archived")
		}
		if _, err := c.post(c.a, conv, p); err != nil {
			return nil, err
		}
	}
	return object{"files": shown}, nil
}

func filesInfo(c *call) (object, error) {
	f, err := c.seenFile(c.a, c.args.text("file"))
	if err != nil {
		return nil, err
	}
	switch {
	case f.Deleted:
		return nil, refuse("file_deleted")
	case !f.Complete:
		return nil, refuse("file_not_found")
	}
	return object{"file": c.showFile(f), "comments": []any{}, "response_metadata": nextCursor("", "")}, nil
}

// fileTypes are the types that files.list can filter by, with their file
// extensions. A workspace here has no posts, snippets or Google documents.
var fileTypes = map[string][]string{
	"all": nil, "images": {"png", "jpg", "jpeg", "gif", "svg", "webp"}, "zips": {"zip"}, "pdfs": {"pdf"},
	"spaces": {}, "snippets": {}, "gdocs": {},
}

// fileFilter reads which files files.list asks for, as a condition on the files f
// and its arguments.
func (c *call) fileFilter() (where string, args []any, err error) {
	where = `f.team_id = $1 AND f.complete AND f.deleted_at = 0 AND (f.user_id = $2 OR EXISTS (
		SELECT 1 FROM file_shares s JOIN conversations o ON o.id = s.conversation_id WHERE s.file_id = f.id AND (o.kind = 'public' OR EXISTS (
		SELECT 1 FROM conversation_members m WHERE m.conversation_id = o.id AND m.user_id = $2))))`
	args = []any{c.a.Team, c.a.User}
	and := func(condition string, arg any) {
		args = append(args, arg)
		where += fmt.Sprintf(" AND "+condition, len(args))
	}
	if id := c.args.text("channel"); id != "" {
		if _, _, err := c.seen(c.a, id); err != nil {
			return "", nil, err
		}
		and("EXISTS (SELECT 1 FROM file_shares s WHERE s.file_id = f.id AND s.conversation_id = $%d)", id)
	}
	if id := c.args.text("user"); id != "" {
		if _, err := c.user(c.a.Team, id); err != nil {
			return "", nil, err
		}
		and("f.user_id = $%d", id)
	}
	// To the second, both ends included, because a file's creation time has whole
	// seconds.
	for _, bound := range []struct {
		name, condition string
		add             int64
	}{{"ts_from", "f.created_at >= $%d", 0}, {"ts_to", "f.created_at <= $%d", 999}} {
		if text := c.args.text(bound.name); text != "" && text != "0" && text != "now" {
			at, ok := parseTS(text)
			if !ok {
				return "", nil, invalid("must be a timestamp [json-pointer:/%s]", bound.name)
			}
			and(bound.condition, at/1e6*1000+bound.add)
		}
	}
	endings, all, err := c.endings()
	if err != nil || all {
		return where, args, err
	}
	var either []string
	for _, ending := range endings {
		args = append(args, "%."+ending)
		either = append(either, fmt.Sprintf("lower(f.name) LIKE $%d", len(args)))
	}
	if either == nil {
		either = []string{"1 = 0"}
	}
	return where + " AND (" + strings.Join(either, " OR ") + ")", args, nil
}

// endings returns the extensions of the files that the argument types asks for. all
// is true if it does not filter.
func (c *call) endings() (endings []string, all bool, err error) {
	types := c.args.list("types")
	for _, name := range types {
		of, known := fileTypes[name]
		if !known {
			return nil, false, refuse("unknown_type")
		}
		endings = append(endings, of...)
	}
	return endings, len(types) == 0 || slices.Contains(types, "all"), nil
}

// number reads an argument that counts from 1; def is its default.
func (a arguments) number(name string, def int) (int, error) {
	if a[name] == "" || a[name] == "0" {
		return def, nil
	}
	n, err := strconv.Atoi(a[name])
	if err != nil || n < 0 {
		return 0, invalid("must be a number [json-pointer:/%s]", name)
	}
	return n, nil
}

// maxFileCount is the largest page of files.list.
const maxFileCount = 1000

// filesList is one of the few methods that Slack still pages by page number.
func filesList(c *call) (object, error) {
	count, err := c.args.number("count", 100)
	if err != nil {
		return nil, err
	}
	count = min(count, maxFileCount)
	page, err := c.args.number("page", 1)
	if err != nil {
		return nil, err
	}
	where, args, err := c.fileFilter()
	if err != nil {
		return nil, err
	}
	rows, total := c.filePage(where, args, count, page)
	return object{"files": each(rows, c.showFile), "paging": object{"count": count, "total": total, "page": page, "pages": (total + count - 1) / count}}, nil
}

func filesDelete(c *call) (object, error) {
	f, err := c.seenFile(c.a, c.args.text("file"))
	switch {
	case err != nil:
		return nil, err
	case f.Deleted:
		return nil, refuse("file_deleted")
	case !f.Complete:
		return nil, refuse("file_not_found")
	}
	return object{}, c.deleteFile(c.a, f)
}
