package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/iotest"

	"frontdesk/internal/blob"
)

// sizes are the sizes at which the code path changes: nothing, one byte, a buffer,
// a part.
var sizes = []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, blob.PartSize - 1, blob.PartSize, blob.PartSize + 1, 2 * blob.PartSize, 2*blob.PartSize + 5}

func TestPutKeepsWhatItIsGiven(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		var keys []blob.Key
		for _, n := range sizes {
			key := blob.NewKey(17)
			put(t, s, key, random(n))
			wantContent(t, s, key, random(n))
			keys = append(keys, key)
		}
		wantKeys(t, allKeys(t, s, later(), 100), keys...)
		if junk := s.junk(t); len(junk) > 0 {
			t.Errorf("left behind: %q", junk)
		}
	})
}

// Readers may return little at a time, return the end together with the last bytes,
// or return nothing now and then.
func TestPutTakesAnyReader(t *testing.T) {
	readers := map[string]func(io.Reader) io.Reader{
		"one byte at a time": iotest.OneByteReader,
		"half of the buffer": iotest.HalfReader,
		"end with data":      iotest.DataErrReader,
		"nothing at times":   func(r io.Reader) io.Reader { return &hesitant{r: r} },
	}
	each(t, func(t *testing.T, s subject) {
		for name, reader := range readers {
			t.Run(name, func(t *testing.T) {
				key, content := blob.NewKey(17), random(100_000)
				size, sum, err := s.Put(context.Background(), key, reader(bytes.NewReader(content)), plenty)
				must(t, err)
				if size != 100_000 || sum != sha256.Sum256(content) {
					t.Errorf("Put said %d bytes with the sum %x", size, sum)
				}
				wantContent(t, s, key, content)
			})
		}
	})
}

// hesitant returns nothing before each read that returns something. In total it
// does so more often than a stuck reader would.
type hesitant struct {
	r    io.Reader
	calm bool
}

func (h *hesitant) Read(p []byte) (int, error) {
	if h.calm = !h.calm; h.calm {
		return 0, nil
	}
	return h.r.Read(p[:min(len(p), 100)])
}

func TestPutRefusesMoreThanTheMaximum(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		for _, max := range []int{0, 1, 1000, blob.PartSize, blob.PartSize + 1000} {
			t.Run(fmt.Sprint(max), func(t *testing.T) {
				key := blob.NewKey(17)
				size, sum, err := s.Put(context.Background(), key, bytes.NewReader(random(max+1)), int64(max))
				if !errors.Is(err, blob.ErrTooLarge) || size != 0 || sum != [sha256.Size]byte{} {
					t.Errorf("Put gave %d, %x, %v, want ErrTooLarge alone", size, sum, err)
				}
				wantNothing(t, s, key)
				size, _, err = s.Put(context.Background(), key, bytes.NewReader(random(max)), int64(max))
				if err != nil || size != int64(max) {
					t.Errorf("Put of exactly the maximum gave %d, %v", size, err)
				}
				wantContent(t, s, key, random(max))
				must(t, s.Remove(context.Background(), key))
			})
		}
	})
}

// An endless reader is not read much further than the maximum.
func TestPutStopsReadingAtTheMaximum(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		endless := &counting{r: zeros{}}
		if _, _, err := s.Put(context.Background(), blob.NewKey(17), endless, 100_000); !errors.Is(err, blob.ErrTooLarge) {
			t.Errorf("Put gave %v, want ErrTooLarge", err)
		}
		if endless.n > 1<<20 {
			t.Errorf("%d bytes were read, to refuse more than 100000", endless.n)
		}
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type counting struct {
	r io.Reader
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

type impossible int

func (n impossible) Read([]byte) (int, error) { return int(n), nil }

var errWire = errors.New("the wire was cut")

// before returns a reader of n bytes that then calls end.
func before(n int, end func() error) io.Reader {
	return io.MultiReader(bytes.NewReader(random(n)), readerFunc(func([]byte) (int, error) { return 0, end() }))
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func failing(err error) func() error { return func() error { return err } }

// Nothing is stored if a reader fails. A request whose sender went away returns
// io.ErrUnexpectedEOF, and that must not count as the end.
func TestPutKeepsNothingOfAFailingReader(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		for _, n := range []int{0, 1000, blob.PartSize, 2*blob.PartSize + 1000} {
			for _, want := range []error{errWire, io.ErrUnexpectedEOF} {
				t.Run(fmt.Sprintf("%v after %d", want, n), func(t *testing.T) {
					key := blob.NewKey(17)
					if _, _, err := s.Put(context.Background(), key, before(n, failing(want)), plenty); !errors.Is(err, want) {
						t.Errorf("Put gave %v, want %v", err, want)
					}
					wantNothing(t, s, key)
				})
			}
		}
	})
}

func TestPutKeepsNothingOfAReaderThatIsBroken(t *testing.T) {
	broken := map[string]func() io.Reader{
		"gives nothing for ever":  func() io.Reader { return before(1000, failing(nil)) },
		"gives more than asked":   func() io.Reader { return impossible(1 << 40) },
		"gives less than nothing": func() io.Reader { return impossible(-1) },
		"data with an error":      func() io.Reader { return iotest.DataErrReader(before(1000, failing(errWire))) },
	}
	each(t, func(t *testing.T, s subject) {
		for name, reader := range broken {
			t.Run(name, func(t *testing.T) {
				key := blob.NewKey(17)
				if _, _, err := s.Put(context.Background(), key, reader(), plenty); err == nil {
					t.Error("Put gave no error")
				}
				wantNothing(t, s, key)
			})
		}
	})
}

func TestPutKeepsNothingWhenTheReaderPanics(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		for _, n := range []int{1000, blob.PartSize + 1000} {
			key := blob.NewKey(17)
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the panic was swallowed")
					}
				}()
				s.Put(context.Background(), key, before(n, func() error { panic("reader") }), plenty)
			}()
			wantNothing(t, s, key)
		}
	})
}

func TestPutKeepsNothingWhenTheContextEnds(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		for _, n := range []int{0, 1000, blob.PartSize, 2*blob.PartSize + 1000} {
			for name, end := range map[string]error{"in the middle": nil, "at the end": io.EOF} {
				t.Run(fmt.Sprintf("%s of %d", name, n), func(t *testing.T) {
					key := blob.NewKey(17)
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					r := before(n, func() error { cancel(); return end })
					if _, _, err := s.Put(ctx, key, r, plenty); !errors.Is(err, context.Canceled) {
						t.Errorf("Put gave %v, want that the context was cancelled", err)
					}
					wantNothing(t, s, key)
				})
			}
		}
	})
}

func TestPutAgainReplaces(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		key := blob.NewKey(17)
		put(t, s, key, random(1000))
		r := open(t, s, key)
		defer r.Close()
		put(t, s, key, []byte("second"))
		wantContent(t, s, key, []byte("second"))
		wantKeys(t, allKeys(t, s, later(), 10), key)
		if _, _, err := s.Put(context.Background(), key, before(2*blob.PartSize, failing(errWire)), plenty); !errors.Is(err, errWire) {
			t.Errorf("Put gave %v", err)
		}
		wantContent(t, s, key, []byte("second"))
	})
}

func TestTheEmptyKeyIsRefused(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		if _, _, err := s.Put(context.Background(), blob.Key{}, bytes.NewReader(nil), plenty); err == nil {
			t.Error("Put gave no error")
		}
		if _, err := s.Open(context.Background(), blob.Key{}); err == nil {
			t.Error("Open gave no error")
		}
		if err := s.Remove(context.Background(), blob.Key{}); err == nil {
			t.Error("Remove gave no error")
		}
		if junk := s.junk(t); len(junk) > 0 {
			t.Errorf("left behind: %q", junk)
		}
	})
}

// Many calls at once. Each blob has exactly its own bytes while others put, list
// and remove. Of several puts under one key, one wins completely.
func TestManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s subject) {
		shared := blob.NewKey(99)
		want := []blob.Key{shared}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				for j := range 8 {
					key, content := blob.NewKey(17), random(1000*i+j)
					err := errors.Join(putAndRead(s, key, content), putShared(s, shared, byte(i)))
					if j%2 == 0 {
						err = errors.Join(err, s.Remove(context.Background(), key))
					} else {
						mu.Lock()
						want = append(want, key)
						mu.Unlock()
					}
					_, listErr := s.Keys(context.Background(), later(), blob.Key{}, 10)
					if err = errors.Join(err, listErr); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		wantKeys(t, allKeys(t, s, later(), 7), want...)
		if junk := s.junk(t); len(junk) > 0 {
			t.Errorf("left behind: %q", junk)
		}
	})
}

func putAndRead(s blob.Store, key blob.Key, content []byte) error {
	if _, _, err := s.Put(context.Background(), key, bytes.NewReader(content), plenty); err != nil {
		return err
	}
	got, err := read(s, key)
	if err == nil && !bytes.Equal(got, content) {
		err = fmt.Errorf("%d bytes came back, different from the %d that were put", len(got), len(content))
	}
	return err
}

// putShared puts one byte 50,000 times under a key that others use as well.
func putShared(s blob.Store, key blob.Key, b byte) error {
	content := bytes.Repeat([]byte{b}, 50_000)
	if _, _, err := s.Put(context.Background(), key, bytes.NewReader(content), plenty); err != nil {
		return err
	}
	got, err := read(s, key)
	if isReplaced(err) {
		return nil // not a mixture
	}
	if err == nil && (len(got) != 50_000 || !bytes.Equal(got, bytes.Repeat(got[:1], 50_000))) {
		err = fmt.Errorf("%d bytes of different puts", len(got))
	}
	return err
}

func read(s blob.Store, key blob.Key) ([]byte, error) {
	r, err := s.Open(context.Background(), key)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
