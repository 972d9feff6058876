package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/internal/blob"
	"frontdesk/internal/change"
	"frontdesk/internal/desk"
	"frontdesk/internal/mail"
	"frontdesk/internal/outside"
	"frontdesk/internal/service"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/worker"
)

const (
	mailDomain = "reply.desk.example"
	// mailCallers is how many mail servers hand mails over at once.
	mailCallers = 16
)

// benchMail counts mails that become requests, and what one costs, beside what only
// reading it costs.
func benchMail(ctx context.Context, engines map[sqldb.Engine]string) {
	fmt.Printf("Mail: taken in from %d senders, each mail a request, on disk with its bytes; and only parsed\n", mailCallers)
	for _, engine := range names(engines) {
		var taken, takenCPU, parsed, parsedCPU []float64
		for range *rounds {
			onMailDesk(ctx, engine, engines[engine], func(take func(raw []byte) error, cpu func() time.Duration) {
				rate, each := mailRate(ctx, cpu, take)
				taken, takenCPU = append(taken, rate), append(takenCPU, each)
			})
			rate, each := mailRate(ctx, ownCPU, parseMail)
			parsed, parsedCPU = append(parsed, rate), append(parsedCPU, each)
		}
		fmt.Printf("  %-8s %7.0f/s, %6.1f µs of CPU each   only parsed %7.0f/s, %6.1f µs   ratio %.3f, of the CPU %.1f\n", engine,
			median(taken), median(takenCPU), median(parsed), median(parsedCPU), median(ratios(taken, parsed)), median(ratios(takenCPU, parsedCPU)))
	}
}

// mailRate returns how many mails fn takes a second, and the microseconds of CPU that one
// of them costs.
func mailRate(ctx context.Context, cpu func() time.Duration, fn func(raw []byte) error) (rate, each float64) {
	var n atomic.Int64
	began, used := time.Now(), cpu()
	rate = repeat(ctx, mailCallers, *length, func() error { return fn(sampleMail(n.Add(1))) })
	return rate, (cpu() - used).Seconds() * 1e6 / (rate * time.Since(began).Seconds())
}

func parseMail(raw []byte) error {
	m, err := mail.Parse(raw)
	if err == nil && m.Written(nil) == "" {
		err = fmt.Errorf("nothing is left of a mail")
	}
	return err
}

// onMailDesk makes a desk that takes mail in. cpu is what it has used, with that of its
// database.
func onMailDesk(ctx context.Context, engine sqldb.Engine, server string, fn func(take func(raw []byte) error, cpu func() time.Duration)) {
	url, drop := freshURL(engine, server)
	defer drop()
	b := openBase(ctx, url)
	defer b.db.Close()
	folder := must(os.MkdirTemp("", "frontdesk-bench-"))
	defer os.RemoveAll(folder)
	blobs := must(blob.OpenFolder(folder))
	defer blobs.Close()
	setup := change.Mail{Domain: mailDomain, Tokens: mail.NewTokens(b.key)}
	b.service = service.New(service.Config{Store: b.store, Mail: setup})
	_, secret := b.fill(ctx)
	admin := must(b.service.Authenticate(ctx, secret))
	address := "support@" + mailDomain
	must(b.service.CreateCollection(ctx, admin, desk.NewCollection{Name: "Help", Kind: desk.EmailCollection, Email: desk.Just(desk.EmailConfigChange{Address: &address})}))
	w := worker.New(worker.Config{Store: b.store, Mail: setup, Outside: outside.New(outside.Config{Store: b.store, Blobs: blobs})})
	var postgres *postgresServer
	if engine == sqldb.Postgres {
		postgres = findPostgres(server)
	}
	fn(func(raw []byte) error {
		return w.TakeMail(ctx, worker.IncomingMail{From: "jo@customer.test", To: []string{address}, Raw: raw})
	}, func() time.Duration { return ownCPU() + postgres.cpu() })
}

// sampleMail returns the mail with a number, as most mail programs write it: as HTML and as
// text, with a signature.
func sampleMail(n int64) []byte {
	var words strings.Builder
	for i := range 60 {
		words.WriteString(word(int(n)*7+i) + " ")
	}
	lines := []string{
		fmt.Sprintf("From: Jo Park <jo.%d@customer.test>", n%1000), "To: Help <support@" + mailDomain + ">", "Subject: " + word(int(n)) + " with order" + fmt.Sprint(n),
		fmt.Sprintf("Message-ID: <%d@customer.test>", n), "Date: Tue, 03 Mar 2026 10:15:00 +0100", "MIME-Version: 1.0", "Content-Type: multipart/alternative; boundary=b", "",
		"--b", "Content-Type: text/plain; charset=utf-8", "", words.String(), "", "-- ", "Jo Park", "",
		"--b", "Content-Type: text/html; charset=utf-8", "", `<div dir="ltr"><p>` + words.String() + `</p><div class="gmail_signature">Jo Park<br>Customer Ltd.</div></div>`, "--b--", "",
	}
	return []byte(strings.Join(lines, "\r\n"))
}
