package backup

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/blob"
)

func TestKeep(t *testing.T) {
	var moments []time.Time // every six hours of two years
	newest := time.Date(2026, 11, 18, 18, 0, 0, 0, time.UTC)
	for at := newest.AddDate(-2, 0, 0); !at.After(newest); at = at.Add(6 * time.Hour) {
		moments = append(moments, at)
	}
	for text, want := range map[string]string{
		"":               fmt.Sprint(len(moments)),
		"all":            fmt.Sprint(len(moments)),
		"days=1":         "2026-11-18T18",
		"all=1h":         "2026-11-18T18",
		"all=12h":        "2026-11-18T12 2026-11-18T18",
		"days=3":         "2026-11-16T18 2026-11-17T18 2026-11-18T18",
		"weeks=2":        "2026-11-15T18 2026-11-18T18",
		"months=3":       "2026-09-30T18 2026-10-31T18 2026-11-18T18",
		"years=2":        "2025-12-31T18 2026-11-18T18",
		"days=2,weeks=2": "2026-11-15T18 2026-11-17T18 2026-11-18T18",
		"days=0":         fmt.Sprint(len(moments)),
	} {
		k, err := ParseKeep(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		var kept []string
		for i, keep := range k.kept(moments) {
			if keep {
				kept = append(kept, moments[i].Format("2006-01-02T15"))
			}
		}
		if got := strings.Join(kept, " "); got != want && fmt.Sprint(len(kept)) != want {
			t.Errorf("%q keeps %s, not %s", text, got, want)
		}
	}
	for _, text := range []string{"days", "days=-1", "days=x", "hours=3", "all=5", "7", "days=1;weeks=2"} {
		if _, err := ParseKeep(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// Removing backups leaves every chunk of those that are kept, and no other.
func TestPrune(t *testing.T) {
	ctx := context.Background()
	store, err := blob.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	p := NewPlace(store, nil)
	put := func(content string) name {
		n := p.nameOf([]byte(content))
		if _, err := p.put(ctx, keyOf(chunkKind, n), []byte(content)); err != nil {
			t.Fatal(err)
		}
		return n
	}
	shared := put("shared")
	start := time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)
	var last *Manifest
	for day := range 5 {
		own := put(fmt.Sprint("of day ", day))
		list := put(string(shared[:]) + string(own[:]))
		last = &Manifest{Format: format, At: start.AddDate(0, 0, day), Database: Contents{Size: 2 * pageChunk, Chunk: pageChunk, List: []name{list}}, Files: Contents{Chunk: fileChunk}}
		if _, err := p.putManifest(ctx, last); err != nil {
			t.Fatal(err)
		}
	}
	put("of a backup that was never completed")
	there, err := p.list(ctx)
	if err != nil {
		t.Fatal(err)
	}
	there.manifests = there.manifests[:4] // as before the newest
	removed, err := p.prune(ctx, Keep{Days: 2}, there, last)
	if err != nil || removed != 3 {
		t.Fatalf("removed %d, %v", removed, err)
	}
	all, problems, err := p.Backups(ctx)
	if err != nil || len(problems) > 0 || len(all) != 2 {
		t.Fatalf("%d backups are left, %v, %v", len(all), problems, err)
	}
	for _, m := range all {
		names, err := p.pageNames(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if _, err := p.chunk(ctx, n); err != nil {
				t.Error(err)
			}
		}
	}
	if there, err = p.list(ctx); err != nil || len(there.chunks) != 1+2+2 {
		t.Errorf("%d chunks are left, %v", len(there.chunks), err)
	}
	// A backup that cannot be read may need any chunk.
	if err := store.Remove(ctx, keyOf(chunkKind, all[1].Database.List[0])); err != nil {
		t.Fatal(err)
	}
	there.manifests = there.manifests[:1]
	if removed, err := p.prune(ctx, Keep{Days: 1}, there, last); err == nil || removed != 0 {
		t.Errorf("with a damaged backup: removed %d, %v", removed, err)
	}
}
