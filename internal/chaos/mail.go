package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/smtp"
	"strings"
	"sync"
	"time"
)

// relay is the mail server that takes our mail. Now and then it breaks off, before or after it has stored a mail.
type relay struct {
	address  string
	listener net.Listener

	mu     sync.Mutex
	r      *rand.Rand
	stored map[string]int // by mark
	broken int
}

func startRelay(seed uint64) (*relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	y := &relay{address: l.Addr().String(), listener: l, r: rand.New(rand.NewPCG(seed, 3)), stored: map[string]int{}}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go y.talk(conn)
		}
	}()
	return y, nil
}

// talk speaks SMTP with a client until one of them breaks off.
func (y *relay) talk(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	say := func(line string) { io.WriteString(conn, line+"\r\n") }
	say("220 relay.example ESMTP")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " "); verb {
		case "DATA":
			say("354 Go ahead")
			var raw strings.Builder
			for line != ".\r\n" {
				if line, err = in.ReadString('\n'); err != nil {
					return
				}
				raw.WriteString(line)
			}
			answer := y.take(raw.String())
			if answer == "" {
				return
			}
			say(answer)
		case "QUIT":
			say("221 Goodbye")
			return
		default:
			say("250 OK")
		}
	}
}

// take stores a mail, or not. It returns what to answer: nothing if it breaks off.
func (y *relay) take(raw string) string {
	y.mu.Lock()
	defer y.mu.Unlock()
	chance := y.r.IntN(100)
	if chance < 4 {
		y.broken++
	}
	if chance < 2 {
		return ""
	}
	_, content, _ := strings.Cut(raw, "\r\n\r\n")
	for _, line := range strings.Split(content, "\n") {
		if kind, mark := findMark(line); kind == "message" {
			y.stored[mark]++
			break // what follows is quoted
		}
	}
	if chance < 4 {
		return ""
	}
	return "250 Stored"
}

// sender is a mail server that hands us mail. It sends each mail again until it is acknowledged, to any node that listens.
type sender struct {
	*load
	n int
	r *rand.Rand
}

func (s *sender) run(ctx, work context.Context) {
	for made := 0; work.Err() == nil; made++ {
		w := &write{kind: "mail", mark: fmt.Sprintf("mail-%d-%d", s.n, made)}
		s.mu.Lock()
		s.writes = append(s.writes, w)
		s.mu.Unlock()
		for ctx.Err() == nil {
			if err := s.send(w.mark); err == nil {
				s.mu.Lock()
				w.outcome = acknowledged
				s.mu.Unlock()
				break
			}
			pause(ctx, time.Duration(50+s.r.IntN(200))*time.Millisecond)
		}
		pause(work, time.Duration(s.r.IntN(600))*time.Millisecond)
	}
}

func (s *sender) send(mark string) error {
	conn, err := net.DialTimeout("tcp", s.w.nodes[s.r.IntN(len(s.w.nodes))].smtp, time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(callTimeout))
	c, err := smtp.NewClient(conn, "127.0.0.1")
	if err != nil {
		return err
	}
	if err := errors.Join(c.Mail("jo@customer.example"), c.Rcpt(support)); err != nil {
		return err
	}
	out, err := c.Data()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "From: Jo <jo@customer.example>\r\nTo: %s\r\nSubject: %s\r\nMessage-ID: <%s@customer.example>\r\n\r\nHow does it work?\r\n", support, mark, mark)
	return out.Close()
}

// support is the address of the desk.
const support = "help@reply.acme.example"
