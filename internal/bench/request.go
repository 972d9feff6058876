package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/index"
	"frontdesk/internal/store"
)

// spoken is how many messages a request has.
const spoken = 5

// fillRequests makes an account with requests, and its search index.
func (b *base) fillRequests(ctx context.Context, n int) desk.AccountID {
	account, _ := b.fill(ctx)
	var col desk.Collection
	check(b.store.Write(ctx, account, func(tx *store.Tx) error {
		col = desk.Collection{Name: "API", Kind: desk.APICollection, CreatedAt: tx.Now, UpdatedAt: tx.Now}
		if err := tx.AddCollection(&col); err != nil {
			return err
		}
		a, err := tx.ThisAccount()
		if err != nil {
			return err
		}
		a.APICollection = col.ID
		return tx.SaveAccount(a)
	}))
	const atOnce = 200
	began := time.Now().Add(-time.Duration(n) * 10 * time.Minute)
	for first := 0; first < n; first += atOnce {
		check(b.store.Write(ctx, account, func(tx *store.Tx) error {
			var messages []desk.Message
			for i := first; i < min(first+atOnce, n); i++ {
				r := sample(col, i, n, began.Add(time.Duration(i)*10*time.Minute))
				if err := tx.AddRequest(&r); err != nil {
					return err
				}
				messages = append(messages, talk(r, i)...)
			}
			return tx.KeepMessages(messages)
		}))
	}
	check(index.Update(ctx, b.store, account))
	return account
}

// sample returns the request with a number. Most are closed, as old requests are.
func sample(col desk.Collection, i, n int, at time.Time) desk.Request {
	state := desk.Closed
	switch i % 40 {
	case 0, 1:
		state = desk.Open
	case 2:
		state = desk.InProgress
	case 3:
		state = desk.Pending
	case 4, 5, 6:
		state = desk.Solved
	}
	return desk.Request{
		Title: fmt.Sprintf("%s %s with order%d", word(i), word(i*3+1), i), TitleBy: desk.ByRules, State: &state, Priority: desk.Normal, PriorityBy: desk.ByRules,
		Author: desk.Requester{Name: "Jo", Email: author(i, n)}, Collection: desk.CollectionRef{ID: col.ID}, Source: desk.FromAPI,
		CreatedAt: at, UpdatedAt: at, LastMessageAt: at,
	}
}

// author returns the requester. Of n requests, each author has twenty.
func author(i, n int) string { return fmt.Sprintf("jo.%d@customer.test", i%(n/20)) }

// talk returns the messages of a request.
func talk(r desk.Request, i int) []desk.Message {
	all := make([]desk.Message, spoken)
	random := rand.New(rand.NewPCG(uint64(i), 1))
	for j := range all {
		words := make([]string, 30)
		for k := range words {
			words[k] = word(int(random.ExpFloat64() * 300))
		}
		text := strings.Join(words, " ")
		if random.IntN(3) == 0 {
			text += " printer"
		}
		all[j] = desk.Message{Request: r.ID, Author: r.Author, HTML: "<p>" + text + "</p>", Text: text, Responder: j%2 == 1, Source: desk.SourceImport,
			CreatedAt: r.CreatedAt.Add(time.Duration(j) * time.Minute)}
	}
	return all
}

// word returns the word with a number, one of 4,096 that nobody says.
func word(i int) string {
	const first, second = "bdfgklmnprstvwzj", "aeiouyaeiouyaeio"
	var b strings.Builder
	for n := i % 4096; b.Len() < 6; n /= 16 {
		b.WriteByte(first[n%16])
		b.WriteByte(second[(n/3)%16])
	}
	return b.String()
}
