// Package backup keeps copies of a desk, its database and its files, in a folder or
// in a bucket of an S3-compatible store, and brings them back. It knows which rows
// name files, and which rows stand for something that leaves the desk. It knows no
// rule of the product.
//
// A place holds chunks and manifests. A chunk is a piece of the database file or of
// an attachment, named by its content, so what has not changed is stored once. A
// manifest is one backup: a moment, and the names of the chunks. Every backup is
// complete, and costs what has changed since the others.
//
//		database file   256 KiB │ 256 KiB │ 256 KiB │ …      attachments   1 MiB │ …
//		                   └──── names ────┘                        └─ names ─┘
//		lists                  chunk of names │ …           chunk of records │ …
//		                             └──────────── manifest ──────┘
//
//	 1. A chunk is stored before a list that names it, a list before its manifest,
//	    and manifests are removed before chunks. So a manifest that can be read is
//	    complete, whenever a process dies.
//	 2. Only one process at a time writes to a place: see hold.
//	 3. Whatever is read is checked against its name.
package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"frontdesk/internal/blob"
	"frontdesk/internal/seal"
)

// name is the name of a chunk: 16 bytes of a hash of its content. With a key the
// hash is keyed, so that a name says nothing about the content.
type name [16]byte

func (n name) String() string { return hex.EncodeToString(n[:]) }

// MarshalText writes a name in hexadecimal.
func (n name) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, n[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (n *name) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(n)) {
		return errors.New("the name of a chunk has 32 hexadecimal digits")
	}
	_, err := hex.Decode(n[:], text)
	return err
}

// The kinds of objects in a place. They stand where the keys of blobs have their
// account, so that a place is an ordinary blob store.
const (
	chunkKind    = 1
	manifestKind = 2
)

func keyOf(kind int, n name) blob.Key {
	key, err := blob.ParseKey(fmt.Sprintf("%d/%s", kind, n))
	if err != nil {
		panic(err) // a name is always the random part of a key
	}
	return key
}

// The first byte of an object says how it is stored.
const (
	plainForm  = 'p' // compressed
	sealedForm = 's' // compressed, then encrypted
)

// mostObject bounds what an object may be, stored and read.
const mostObject = 64 << 20

// ErrDamaged says that an object of a place is missing, or is not what was stored.
var ErrDamaged = errors.New("the backup is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// Place is a folder or bucket with backups of one desk.
type Place struct {
	store blob.Store
	key   *seal.Key // nil: nothing is encrypted
	names seal.Signer

	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

// NewPlace returns the place in a store. With a key, everything in it is encrypted.
func NewPlace(store blob.Store, key *seal.Key) *Place {
	p := &Place{store: store, key: key}
	if key != nil {
		p.names = key.Signer("backup")
	}
	var err error
	if p.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(crewSize)); err != nil {
		panic(err) // only if an option is out of range
	}
	if p.decoder, err = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(mostObject), zstd.WithDecoderConcurrency(crewSize)); err != nil {
		panic(err)
	}
	return p
}

// Close closes the place.
func (p *Place) Close() error {
	p.decoder.Close()
	if c, ok := p.store.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// nameOf returns the name of content.
func (p *Place) nameOf(content []byte) (n name) {
	if p.key != nil {
		copy(n[:], p.names.Sign(content))
		return n
	}
	sum := sha256.Sum256(content)
	copy(n[:], sum[:])
	return n
}

func sealPlace(key blob.Key) seal.Place { return seal.Place{Column: "backup " + key.String()} }

// pack returns content in the form in which it is stored.
func (p *Place) pack(key blob.Key, content []byte) []byte {
	packed := p.encoder.EncodeAll(content, []byte{plainForm})
	if p.key != nil {
		packed = append([]byte{sealedForm}, p.key.Seal(sealPlace(key), packed[1:])...)
	}
	return packed
}

// put stores an object and returns how many bytes it takes.
func (p *Place) put(ctx context.Context, key blob.Key, content []byte) (int64, error) {
	return p.putPacked(ctx, key, p.pack(key, content))
}

func (p *Place) putPacked(ctx context.Context, key blob.Key, packed []byte) (int64, error) {
	size, _, err := p.store.Put(ctx, key, bytes.NewReader(packed), mostObject)
	return size, err
}

// get reads an object.
func (p *Place) get(ctx context.Context, key blob.Key) ([]byte, error) {
	r, err := p.store.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, damaged("%s is missing", key)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Size() > mostObject {
		return nil, damaged("%s has %d bytes", key, r.Size())
	}
	stored, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return p.unpack(key, stored)
}

// unpack reads what put stored.
func (p *Place) unpack(key blob.Key, stored []byte) ([]byte, error) {
	switch {
	case len(stored) == 0:
		return nil, damaged("%s is empty", key)
	case stored[0] == sealedForm && p.key == nil:
		return nil, fmt.Errorf("%s is encrypted: name the file with the backup key", key)
	case stored[0] == plainForm && p.key != nil:
		// Someone who can write to the place must not be able to pass off an object as
		// ours.
		return nil, fmt.Errorf("%s is not encrypted, and a backup key was given: use one place for each key", key)
	}
	packed := stored[1:]
	if p.key != nil {
		var err error
		if packed, err = p.key.Open(sealPlace(key), packed); err != nil {
			return nil, damaged("%s was changed, or encrypted with another key", key)
		}
	}
	content, err := p.decoder.DecodeAll(packed, nil)
	if err != nil {
		return nil, damaged("%s cannot be unpacked: %v", key, err)
	}
	return content, nil
}

// chunk reads a chunk and checks it.
func (p *Place) chunk(ctx context.Context, n name) ([]byte, error) {
	key := keyOf(chunkKind, n)
	content, err := p.get(ctx, key)
	if err == nil && p.nameOf(content) != n {
		err = damaged("%s does not have the content that it is named by", key)
	}
	return content, err
}

// listing is what a place holds.
type listing struct {
	chunks    map[name]bool
	manifests []name // oldest first
}

// list lists the place.
func (p *Place) list(ctx context.Context) (listing, error) {
	l := listing{chunks: map[name]bool{}}
	const page = 1000
	var after blob.Key
	for more := true; more; {
		keys, err := p.store.Keys(ctx, time.Now().AddDate(1, 0, 0), after, page)
		if err != nil {
			return l, err
		}
		for _, key := range keys {
			var n name
			_, random, _ := bytes.Cut([]byte(key.String()), []byte("/"))
			if err := n.UnmarshalText(random); err != nil {
				continue
			}
			switch key.Account() {
			case chunkKind:
				l.chunks[n] = true
			case manifestKind:
				l.manifests = append(l.manifests, n)
			}
		}
		if more = len(keys) == page; more {
			after = keys[len(keys)-1]
		}
	}
	sortNames(l.manifests)
	return l, nil
}

// crewSize is how many objects are stored or read at once.
const crewSize = 4

// crew runs tasks on a few goroutines. After the first error it runs no more.
type crew struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	tasks  chan func(context.Context) error
	ended  sync.WaitGroup
}

func newCrew(ctx context.Context) *crew {
	c := &crew{tasks: make(chan func(context.Context) error)}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	for range crewSize {
		c.ended.Go(func() {
			for task := range c.tasks {
				if c.ctx.Err() != nil {
					continue
				}
				if err := task(c.ctx); err != nil {
					c.cancel(err)
				}
			}
		})
	}
	return c
}

// do hands a task to the crew, and waits until somebody is free.
func (c *crew) do(task func(context.Context) error) error {
	select {
	case c.tasks <- task:
		return nil
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

// wait waits for all tasks and returns the first error. No more tasks may follow.
func (c *crew) wait() error {
	close(c.tasks)
	c.ended.Wait()
	err := context.Cause(c.ctx)
	c.cancel(nil)
	return err
}

// stop is wait after an error.
func (c *crew) stop(err error) error {
	c.cancel(err)
	return c.wait()
}
