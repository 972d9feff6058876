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
func (s *served) benchStreams(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	var listening sync.WaitGroup
	defer listening.Wait()
	defer stop()
	var seen atomic.Int64 // changes seen, by all together
	for range listeners / perToken {
		token := s.newToken(ctx)
		for range perToken {
			s.listen(ctx, token, &listening, &seen)
		}
	}
	check(pause(ctx, time.Second)) // until all of them wait
	before := cpuOf(s.pid)
	check(pause(ctx, restTime))
	rest := (cpuOf(s.pid) - before).Seconds() / restTime.Seconds()
	var costs, waits []float64
	for i := range seenChanges {
		check(pause(ctx, 300*time.Millisecond)) // otherwise it would be combined with the previous one
		began, before := time.Now(), cpuOf(s.pid)
		must(s.send(ctx, withBody("PATCH", fmt.Sprintf("/requests/%d", s.open(0)), fmt.Sprintf(`{"title": %q}`, seenTitle(i)))))
		for seen.Load() < int64(i+1)*listeners {
			if time.Since(began) > time.Minute {
				check(fmt.Errorf("after a minute, %d of %d streams have seen a change", seen.Load()-int64(i)*listeners, listeners))
			}
			check(pause(ctx, time.Millisecond))
		}
		took := time.Since(began).Seconds()
		costs, waits = append(costs, 1000*((cpuOf(s.pid)-before).Seconds()-rest*took)), append(waits, 1000*took)
	}
	cost := median(costs)
	fmt.Printf("  a change, seen by %d %s\n  %9s %8.3f ms (goal %.0f: %s), and the last of them had it after %.0f ms; at rest they cost %.0f ms a second\n",
		listeners, streamsName, s.name, cost, streamGoal, mark(cost <= streamGoal), median(waits), 1000*rest)
}

// seenTitle returns the title that identifies a change.
func seenTitle(i int) string { return fmt.Sprintf("Change number %d for all to see", i) }

// listen opens a stream, which counts the changes that it has seen until ctx ends.
func (s *served) listen(ctx context.Context, token string, listening *sync.WaitGroup, seen *atomic.Int64) {
	lines, leave := s.openStream(ctx, token)
	listening.Go(func() {
		defer leave()
		for next := 0; lines.Scan(); {
			if strings.Contains(lines.Text(), seenTitle(next)) {
				next++
				seen.Add(1)
			}
		}
	})
}

// openStream opens an event stream, which ends with ctx.
func (s *served) openStream(ctx context.Context, token string) (lines *bufio.Scanner, leave func() error) {
	r := must(http.NewRequestWithContext(ctx, "GET", "http://"+s.addr+"/v1/rest/events/stream", nil))
	r.Header.Set("Authorization", "Bearer "+token)
	answer := must(http.DefaultClient.Do(r))
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		check(fmt.Errorf("a stream was answered %s", answer.Status))
	}
	lines = bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	return lines, answer.Body.Close
}
