package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	streamsName = "streams"
	// listeners is how many streams are open, and perToken how many of them one
	// token may have.
	listeners = 1000
	perToken  = 20
	// seenChanges is how many changes they see.
	seenChanges = 20
	// streamGoal is how many ms of CPU a change may cost until all streams have it.
	streamGoal = 5.0
)

// benchStreams reports what a change costs that a thousand streams of an account
// show, from the call until the last of them has it.
func (s *served) benchStreams(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var listening sync.WaitGroup
	defer listening.Wait()
	defer stop()
	var seen atomic.Int64 // changes seen, by all together
	for range listeners / perToken {
		token, err := s.newToken(ctx)
		if err != nil {
			return err
		}
		for range perToken {
			if err := s.listen(ctx, token, &listening, &seen); err != nil {
				return err
			}
		}
	}
	if err := pause(ctx, time.Second); err != nil { // until all of them wait
		return err
	}
	before := cpuOf(s.pid)
	if err := pause(ctx, restTime); err != nil {
		return err
	}
	rest := (cpuOf(s.pid) - before).Seconds() / restTime.Seconds()
	var costs, waits []float64
	for i := range seenChanges {
		if err := pause(ctx, 300*time.Millisecond); err != nil { // otherwise it would be combined with the previous one
			return err
		}
		began, before := time.Now(), cpuOf(s.pid)
		if _, err := s.send(ctx, withBody("PATCH", fmt.Sprintf("/requests/%d", s.open(0)), fmt.Sprintf(`{"title": %q}`, seenTitle(i)))); err != nil {
			return err
		}
		for seen.Load() < int64(i+1)*listeners {
			if time.Since(began) > time.Minute {
				return fmt.Errorf("after a minute, %d of %d streams have seen a change", seen.Load()-int64(i)*listeners, listeners)
			}
			if err := pause(ctx, time.Millisecond); err != nil {
				return err
			}
		}
		took := time.Since(began).Seconds()
		costs, waits = append(costs, 1000*((cpuOf(s.pid)-before).Seconds()-rest*took)), append(waits, 1000*took)
	}
	cost := median(costs)
	fmt.Printf("  a change, seen by %d %s\n  %9s %8.3f ms (goal %.0f: %s), and the last of them had it after %.0f ms; at rest they cost %.0f ms a second\n",
		listeners, streamsName, s.name, cost, streamGoal, mark(cost <= streamGoal), median(waits), 1000*rest)
	return nil
}

// seenTitle returns the title that identifies a change.
func seenTitle(i int) string { return fmt.Sprintf("Change number %d for all to see", i) }

// listen opens a stream, which counts the changes that it has seen until ctx ends.
func (s *served) listen(ctx context.Context, token string, listening *sync.WaitGroup, seen *atomic.Int64) error {
	lines, leave, err := s.openStream(ctx, token)
	if err != nil {
		return err
	}
	listening.Go(func() {
		defer leave()
		for next := 0; lines.Scan(); {
			if strings.Contains(lines.Text(), seenTitle(next)) {
				next++
				seen.Add(1)
			}
		}
	})
	return nil
}

// openStream opens an event stream, which ends with ctx.
func (s *served) openStream(ctx context.Context, token string) (lines *bufio.Scanner, leave func() error, err error) {
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+s.addr+"/v1/rest/events/stream", nil)
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, nil, err
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, nil, fmt.Errorf("a stream was answered %s", answer.Status)
	}
	lines = bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	return lines, answer.Body.Close, nil
}
