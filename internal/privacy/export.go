package privacy

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"frontdesk/internal/blob"
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/store"
)

// Exported says what an export has.
type Exported struct {
	Rows    map[string]int // by table
	Files   int
	Missing int // files whose bytes were gone already
}

// line is a line of data.jsonl.
type line struct {
	Table string         `json:"table"`
	Is    string         `json:"is"` // own or mentions
	Row   map[string]any `json:"row"`
}

// file is a file of the subject, and its name in the export.
type file struct{ key, name string }

// Export writes everything that an account has about a person or a customer into a zip
// file: data.jsonl with a line for each row, and their files. It shows one moment
// and changes nothing.
func (d Desk) Export(ctx context.Context, account desk.AccountID, of Subject, w io.Writer) (x Exported, err error) {
	archive := zip.NewWriter(w)
	var files []file
	again := false
	err = d.Store.Read(ctx, account, func(tx *store.Tx) error {
		if again {
			return errors.New("the database was away while it was read: try again")
		}
		again = true
		f, err := of.find(tx)
		if err != nil {
			return err
		}
		data, err := archive.Create("data.jsonl")
		if err != nil {
			return err
		}
		x = Exported{Rows: map[string]int{}}
		is := newScrubber(f, "erased")
		for _, t := range tables {
			some, err := is.export(tx, t, json.NewEncoder(data), x.Rows)
			if err != nil {
				return fmt.Errorf("export %s: %w", t.name, err)
			}
			files = append(files, some...)
		}
		return f.check(x.Rows)
	})
	if err != nil {
		return x, err
	}
	for _, f := range files {
		switch err := d.exportFile(ctx, archive, f); {
		case errors.Is(err, blob.ErrNotFound):
			x.Missing++
		case err != nil:
			return x, fmt.Errorf("export the file %s: %w", f.name, err)
		default:
			x.Files++
		}
	}
	return x, archive.Close()
}

// secret are columns that are nobody's data: secrets, digests, and what the server
// needs to know its own rows.
var secret = []string{"account_id", "secret", "password", "invitation", "digest", "mac", "erased_mac", "sum", "nonce", "mark"}

// export writes the rows of a table, and returns the subject's files in it.
func (s scrubber) export(tx *store.Tx, t table, to *json.Encoder, counted map[string]int) (files []file, err error) {
	if t.theirs != "" {
		t.own = t.theirs
	}
	var q sqldb.Query
	s.add(&q, "SELECT coalesce("+own(t)+", FALSE) AS is_own, "+t.name+".* FROM "+t.name+" WHERE ")
	s.addRows(&q, t, "")
	rows, err := tx.Query(q.String(), q.Args()...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var isOwn bool
		values := make([]any, len(columns))
		into := []any{&isOwn}
		for i := range values[1:] {
			into = append(into, &values[i+1])
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		l := line{Table: t.name, Is: "own", Row: map[string]any{}}
		if !isOwn {
			l.Is = "mentions"
		}
		for i, c := range columns {
			if i == 0 || slices.Contains(secret, c) {
				continue
			}
			if l.Row[c] = shown(values[i], slices.Contains(strings.Fields(t.json), c)); c == t.files && isOwn && l.Row[c] != nil {
				key, _ := l.Row[c].(string)
				name := fileName(l.Row, t.name)
				files = append(files, file{key, name})
				l.Row["file"] = name
			}
		}
		if !isOwn && !s.mentioned(t, l.Row) {
			continue
		}
		if err := to.Encode(l); err != nil {
			return nil, err
		}
		counted[t.name]++
	}
	return files, rows.Close()
}

// mentioned reports whether a row mentions the subject, and not only somebody whose
// address ends with theirs.
func (s scrubber) mentioned(t table, row map[string]any) bool {
	for i, c := range slices.Concat(strings.Fields(t.text), strings.Fields(t.json)) {
		value, _ := row[c].(string)
		if raw, isJSON := row[c].(json.RawMessage); isJSON {
			value = string(raw)
		}
		if s.column(t, i, value, 0) != value {
			return true
		}
	}
	return false
}

// shown returns a value of a column as JSON shows it.
func shown(v any, isJSON bool) any {
	text, isText := v.(string)
	if bytes, isBytes := v.([]byte); isBytes {
		text, isText = string(bytes), isJSON
		v = nil // bytes mean nothing to the person
	}
	if isJSON && isText && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	if isText {
		return text
	}
	return v
}

// fileName returns the name of a file in the export. The id makes it unique, and no
// name leads out of its folder.
func fileName(row map[string]any, table string) string {
	name, _ := row["name"].(string)
	name = path.Base(strings.ReplaceAll(name, "\\", "/"))
	if table == "mails" {
		name = "mail.eml"
	}
	return fmt.Sprintf("files/%s-%v-%s", table, row["id"], name)
}

func (d Desk) exportFile(ctx context.Context, archive *zip.Writer, f file) error {
	key, err := blob.ParseKey(f.key)
	if err != nil {
		return err
	}
	r, err := d.Blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	defer r.Close()
	to, err := archive.Create(f.name)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, r)
	return err
}
