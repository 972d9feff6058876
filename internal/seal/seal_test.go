package seal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestSealOpensOnlyInItsPlace(t *testing.T) {
	k, place := NewKey(), Place{Account: 7, Column: "webhooks.secret"}
	secret := []byte("whsec_…\x00\xff")
	sealed := k.Seal(place, secret)
	if bytes.Contains(sealed, secret) {
		t.Fatal("the sealed value shows the secret")
	}
	if got, err := k.Open(place, sealed); err != nil || !bytes.Equal(got, secret) {
		t.Fatalf("Open = %q, %v", got, err)
	}
	if bytes.Equal(sealed, k.Seal(place, secret)) {
		t.Error("the same value sealed twice looks the same")
	}
	changed := bytes.Clone(sealed)
	changed[len(changed)-1] ^= 1
	for name, open := range map[string]func() ([]byte, error){
		"another account": func() ([]byte, error) { return k.Open(Place{8, place.Column}, sealed) },
		"another column":  func() ([]byte, error) { return k.Open(Place{7, "x.y"}, sealed) },
		"another key":     func() ([]byte, error) { return NewKey().Open(place, sealed) },
		"changed":         func() ([]byte, error) { return k.Open(place, changed) },
		"cut":             func() ([]byte, error) { return k.Open(place, sealed[:5]) },
		"empty":           func() ([]byte, error) { return k.Open(place, nil) },
	} {
		if _, err := open(); !errors.Is(err, ErrSealed) {
			t.Errorf("%s: %v, want ErrSealed", name, err)
		}
	}
}

func TestSignerTellsPartsAndPurposesApart(t *testing.T) {
	k := NewKey()
	s := k.Signer("cursor")
	mark := s.Sign([]byte("ab"), []byte("c"))
	if !s.Check(mark, []byte("ab"), []byte("c")) || !s.Check(mark[:8], []byte("ab"), []byte("c")) {
		t.Error("a true mark is refused")
	}
	if s.Check(mark, []byte("a"), []byte("bc")) || s.Check(mark[:7], []byte("ab"), []byte("c")) || s.Check(nil, []byte("ab"), []byte("c")) {
		t.Error("a false mark passes")
	}
	if k.Signer("audit").Check(mark, []byte("ab"), []byte("c")) {
		t.Error("a mark passes for another purpose")
	}
}

func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "key")
	var wg sync.WaitGroup
	keys := make([]*Key, 8)
	for i := range keys { // several processes may start at once
		wg.Go(func() {
			var err error
			if keys[i], err = LoadKey(path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	again, err := LoadKey(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k.encode() != again.encode() {
			t.Fatal("two starts made two keys")
		}
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("the key file has mode %v", info.Mode())
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".key-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if strings.Contains(again.String(), again.encode()) {
		t.Error("a key prints itself")
	}
	os.WriteFile(path, []byte("not a key"), 0o600)
	if _, err := LoadKey(path); err == nil || !strings.Contains(err.Error(), "openssl rand") {
		t.Errorf("a broken key file: %v", err)
	}
}
