package backup

import (
	"encoding/json"
	"testing"
	"time"
)

// Whatever stands in a manifest or a list, reading it ends, and what is accepted can
// be used.
func FuzzManifest(f *testing.F) {
	n := name{1, 2, 3}
	whole, err := json.Marshal(Manifest{Format: format, At: time.UnixMilli(1), Engine: "sqlite", Schema: 31, Database: Contents{Size: 5, Chunk: pageChunk, List: []name{n}}, Files: Contents{Chunk: fileChunk}})
	if err != nil {
		f.Fatal(err)
	}
	line, err := json.Marshal(File{Key: "17/9f86d081884c7d659a2feaa0c55ad015", Size: 1, Sum: []byte{1}, Chunks: []name{n}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(append(line, '\n'))
	f.Add(append(append(line, '\n'), line...))
	f.Add([]byte(`{"format":1,"database":{"size":9223372036854775807,"chunk":512,"list":["00000000000000000000000000000000"]},"files":{"chunk":512}}`))
	f.Add(n[:])
	p := NewPlace(nil, nil)
	f.Fuzz(func(t *testing.T, content []byte) {
		if m, err := parseManifest(content); err == nil && (m.Database.chunks() < 1 || len(m.Database.List) == 0) {
			t.Errorf("a manifest of %d chunks was accepted", m.Database.chunks())
		}
		if files, err := parseFiles(content, fileChunk); err == nil {
			for _, f := range files {
				if f.Size < 0 || int64(len(f.Chunks)) != chunksOf(f.Size, fileChunk) {
					t.Errorf("a file of %d bytes in %d chunks was accepted", f.Size, len(f.Chunks))
				}
			}
		}
		if names, err := parseNames(content); err == nil && len(names)*len(name{}) != len(content) {
			t.Errorf("%d names in %d bytes", len(names), len(content))
		}
		_, _ = p.unpack(keyOf(manifestKind, n), content)
	})
}
