package backup

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/sqldb"
)

// format is the version of manifests that this program writes and reads.
const format = 1

// Manifest is one backup.
type Manifest struct {
	Format int          `json:"format"`
	At     time.Time    `json:"at"` // everything that was committed by then is in it
	Engine sqldb.Engine `json:"engine"`
	Schema int          `json:"schema"` // the last migration
	// Database is the database file. Its list has the names of its chunks.
	Database Contents `json:"database"`
	// Files are the attachments. Their list has a File for each, as JSON.
	Files Contents `json:"files"`
	Count int      `json:"count"` // of the files
	// Missing are files that a row names and that could not be read, the first of
	// them.
	Missing []string `json:"missing,omitempty"`

	name name
}

// Contents are bytes in a place, by the chunks of a list.
type Contents struct {
	Size  int64  `json:"size"`
	Chunk int64  `json:"chunk"` // the size of a chunk
	List  []name `json:"list"`
}

// chunks returns how many chunks hold a size.
func (c Contents) chunks() int64 { return chunksOf(c.Size, c.Chunk) }

func chunksOf(size, chunk int64) int64 { return size/chunk + min(size%chunk, 1) }

// File is an attachment in a backup.
type File struct {
	Key    string `json:"key"`
	Size   int64  `json:"size"`
	Sum    []byte `json:"sum"` // SHA-256
	Chunks []name `json:"chunks"`
}

const (
	pageChunk = 256 << 10 // of the database file
	fileChunk = 1 << 20   // of an attachment
	mostList  = 4 << 20   // bytes of a chunk of a list
)

// The name of a manifest begins with its moment, and ends with the beginning of its
// content's name.
func (p *Place) manifestName(at time.Time, content []byte) (n name) {
	binary.BigEndian.PutUint64(n[:8], uint64(at.UnixMilli()))
	sum := p.nameOf(content)
	copy(n[8:], sum[:8])
	return n
}

// momentOf returns the moment in the name of a manifest.
func momentOf(n name) time.Time { return time.UnixMilli(int64(binary.BigEndian.Uint64(n[:8]))).UTC() }

func sortNames(all []name) {
	slices.SortFunc(all, func(a, b name) int { return bytes.Compare(a[:], b[:]) })
}

// ID names a backup.
func (m *Manifest) ID() string { return m.name.String() }

// parseManifest reads a manifest. Whoever can write to a place without a key can
// write anything there.
func parseManifest(content []byte) (*Manifest, error) {
	m := &Manifest{}
	if err := json.Unmarshal(content, m); err != nil {
		return nil, err
	}
	switch {
	case m.Format != format:
		return nil, fmt.Errorf("it has the format %d, and this program knows %d", m.Format, format)
	case m.Database.Size <= 0 || m.Database.Chunk < 512 || m.Database.Chunk > mostObject || m.Files.Chunk < 512 || m.Files.Size < 0 || m.Count < 0 || len(m.Database.List) == 0:
		return nil, errors.New("it has impossible sizes")
	}
	return m, nil
}

// manifest reads a backup's manifest.
func (p *Place) manifest(ctx context.Context, n name) (*Manifest, error) {
	key := keyOf(manifestKind, n)
	content, err := p.get(ctx, key)
	if err != nil {
		return nil, err
	}
	if p.manifestName(momentOf(n), content) != n {
		return nil, damaged("%s does not have the content that it is named by", key)
	}
	m, err := parseManifest(content)
	if err != nil {
		return nil, damaged("%s: %v", key, err)
	}
	m.name = n
	return m, nil
}

// putManifest completes a backup.
func (p *Place) putManifest(ctx context.Context, m *Manifest) (int64, error) {
	content, err := json.Marshal(m)
	if err != nil {
		return 0, err
	}
	m.name = p.manifestName(m.At, content)
	return p.put(ctx, keyOf(manifestKind, m.name), content)
}

// Backups returns all backups, oldest first, and what is wrong with those whose
// manifest cannot be read.
func (p *Place) Backups(ctx context.Context) (all []*Manifest, problems []error, err error) {
	l, err := p.list(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range l.manifests {
		m, err := p.manifest(ctx, n)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			problems = append(problems, fmt.Errorf("the backup of %s: %w", momentOf(n).Format(time.RFC3339), err))
		default:
			all = append(all, m)
		}
	}
	return all, problems, nil
}

// ErrNone says that a place has no backup.
var ErrNone = errors.New("there is no backup in this place")

// At returns the newest backup whose moment is not after at. The zero time means the
// newest of all.
func (p *Place) At(ctx context.Context, at time.Time) (*Manifest, error) {
	l, err := p.list(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range slices.Backward(l.manifests) {
		if at.IsZero() || !momentOf(n).After(at) {
			return p.manifest(ctx, n)
		}
	}
	switch {
	case len(l.manifests) == 0:
		return nil, ErrNone
	default:
		return nil, fmt.Errorf("the oldest backup is of %s, which is later", momentOf(l.manifests[0]).Format(time.RFC3339))
	}
}

// pageNames reads the names of the chunks of the database file.
func (p *Place) pageNames(ctx context.Context, m *Manifest) (names []name, err error) {
	for _, n := range m.Database.List {
		content, err := p.chunk(ctx, n)
		if err != nil {
			return nil, err
		}
		part, err := parseNames(content)
		if err != nil {
			return nil, damaged("chunk %s: %v", n, err)
		}
		names = append(names, part...)
	}
	if want := m.Database.chunks(); int64(len(names)) != want {
		return nil, damaged("the database has %d chunks instead of %d", len(names), want)
	}
	return names, nil
}

func parseNames(content []byte) ([]name, error) {
	if len(content)%len(name{}) != 0 {
		return nil, errors.New("it is not a list of names")
	}
	names := make([]name, 0, len(content)/len(name{}))
	for part := range slices.Chunk(content, len(name{})) {
		names = append(names, name(part))
	}
	return names, nil
}

// eachFile calls fn with every file of a backup.
func (p *Place) eachFile(ctx context.Context, m *Manifest, fn func(File) error) error {
	count := 0
	for _, n := range m.Files.List {
		content, err := p.chunk(ctx, n)
		if err != nil {
			return err
		}
		files, err := parseFiles(content, m.Files.Chunk)
		if err != nil {
			return damaged("chunk %s: %v", n, err)
		}
		for _, f := range files {
			if err := fn(f); err != nil {
				return err
			}
		}
		count += len(files)
	}
	if count != m.Count {
		return damaged("it lists %d files instead of %d", count, m.Count)
	}
	return nil
}

func parseFiles(content []byte, chunk int64) (files []File, err error) {
	for line := range bytes.Lines(content) {
		var f File
		if err := json.Unmarshal(line, &f); err != nil {
			return nil, err
		}
		if _, err := blob.ParseKey(f.Key); err != nil {
			return nil, err
		}
		if want := chunksOf(f.Size, chunk); f.Size < 0 || int64(len(f.Chunks)) != want {
			return nil, fmt.Errorf("the file %s has %d chunks instead of %d", f.Key, len(f.Chunks), want)
		}
		files = append(files, f)
	}
	return files, nil
}

// used adds the chunks that a backup consists of to all. Backups share most of their
// lists, so a list that is in all already is not read again.
func (p *Place) used(ctx context.Context, m *Manifest, all map[name]bool) error {
	fresh := func(list []name, add func(content []byte) error) error {
		for _, n := range list {
			if all[n] {
				continue
			}
			content, err := p.chunk(ctx, n)
			if err != nil {
				return err
			}
			if err := add(content); err != nil {
				return damaged("chunk %s: %v", n, err)
			}
			all[n] = true
		}
		return nil
	}
	err := fresh(m.Database.List, func(content []byte) error {
		names, err := parseNames(content)
		for _, n := range names {
			all[n] = true
		}
		return err
	})
	return cmp.Or(err, fresh(m.Files.List, func(content []byte) error {
		files, err := parseFiles(content, m.Files.Chunk)
		for _, f := range files {
			for _, n := range f.Chunks {
				all[n] = true
			}
		}
		return err
	}))
}
