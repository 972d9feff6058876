package sqldb

import (
	"encoding/base64"
	"slices"
	"strings"
)

// Tell sends a word to whoever hears a topic in the other processes. It is for what is
// true for a moment and in no table, such as who is looking at something. A word can be
// lost, so say it again from time to time. Words of one process arrive in their order,
// and a word is at most mostWord bytes long; a longer one is not sent. On SQLite there
// are no other processes.
func (db *DB) Tell(topic, word string) { db.bells.tell(topic, word) }

// Hear calls fn with each word that another process tells about a topic, one at a time,
// until stop is called. fn must not wait for anything.
func (db *DB) Hear(topic string, fn func(word string)) (stop func()) {
	return db.bells.hear(topic, fn)
}

// mostWord keeps a word within one notification.
const mostWord = 4000

// hearer is somebody who hears a topic.
type hearer struct{ fn func(word string) }

func (b *bells) hear(name string, fn func(word string)) (stop func()) {
	t, h := b.topic(name), &hearer{fn}
	b.mu.Lock()
	defer b.mu.Unlock()
	t.hearing = append(t.hearing, h)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		t.hearing = slices.DeleteFunc(t.hearing, func(other *hearer) bool { return other == h })
	}
}

// pass gives a word of another process to those who hear its topic.
func (b *bells) pass(name, word string) {
	b.mu.Lock()
	var hearing []*hearer
	if t := b.topics[name]; t != nil {
		hearing = slices.Clone(t.hearing)
	}
	b.mu.Unlock()
	for _, h := range hearing {
		h.fn(word)
	}
}

// tell adds a word to the next notification.
func (h *herald) tell(topic, word string) {
	if len(word) > mostWord {
		return
	}
	h.mu.Lock()
	h.words = append(h.words, topic+"="+base64.RawURLEncoding.EncodeToString([]byte(word)))
	h.mu.Unlock()
	wake(h.wake)
}

// received acts on one item of a notification: a topic that rings, or a word. Versions
// that know no words take one for a topic that nobody listens to.
func (b *bells) received(item string) {
	topic, coded, isWord := strings.Cut(item, "=")
	if !isWord {
		b.ringElsewhere(topic)
		return
	}
	if word, err := base64.RawURLEncoding.DecodeString(coded); err == nil {
		b.pass(topic, string(word))
	}
}
