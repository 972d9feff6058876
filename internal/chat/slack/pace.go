package slack

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// perMinute is how often a method may be called in a workspace, from Slack's tiers.
// Methods that are missing are limited by channel, or by limits that we cannot know
// in advance.
var perMinute = map[string]int{
	"users.list": 20, "conversations.list": 20, "usergroups.list": 20, "reactions.remove": 20, "dnd.teamInfo": 20,
	"conversations.info": 50, "conversations.history": 50, "conversations.replies": 50, "conversations.join": 50, "conversations.open": 50,
	"chat.update": 50, "chat.delete": 50, "reactions.add": 50, "users.getPresence": 50,
	"chat.postEphemeral": 100, "files.getUploadURLExternal": 100, "files.completeUploadExternal": 100, "files.info": 100, "views.open": 100,
	"oauth.v2.access": 100,
}

const (
	// postsAtOnce is how many messages a channel accepts before the limit of one a
	// second applies.
	postsAtOnce = 3
	// leastTime is how much time the context of a waiting call must have left. With
	// less the call would be cut off, and nobody would know what it has done.
	leastTime = time.Second
	// idle is when an unused lane is forgotten. By then every bucket is full, so a
	// new lane is the same.
	idle = 2 * time.Minute
)

// lane is one queue: a method in a workspace, or the messages to a channel.
type lane struct {
	name  string
	limit rate.Limit
	burst int
}

// lanesOf returns the lanes of a call. The first is the method's.
func lanesOf(workspace, method, channel string) []lane {
	all := []lane{{name: workspace + " " + method, limit: rate.Inf}}
	if n := perMinute[method]; n > 0 {
		// Half a minute's calls at once. With those that follow, no minute has more
		// than one and a half times the limit.
		all[0].limit, all[0].burst = rate.Limit(float64(n)/60), n/2
	}
	if method == "chat.postMessage" {
		all = append(all, lane{name: workspace + " post " + channel, limit: 1, burst: postsAtOnce})
	}
	return all
}

// pacer holds calls back until it is their turn. It serves one process. Other
// processes show up in the pauses that Slack asks for.
type pacer struct {
	unlimited bool // only pauses apply

	mu    sync.Mutex
	lanes map[string]*queue
	swept time.Time
}

// queue is the state of a lane.
type queue struct {
	limiter *rate.Limiter
	until   time.Time // end of a pause
	used    time.Time // the last turn given
}

func newPacer(unlimited bool) *pacer {
	return &pacer{unlimited: unlimited, lanes: map[string]*queue{}}
}

// queue returns the state of a lane, and creates it if needed.
func (p *pacer) queue(l lane) *queue {
	q := p.lanes[l.name]
	if q == nil {
		if p.unlimited {
			l.limit = rate.Inf
		}
		q = &queue{limiter: rate.NewLimiter(l.limit, l.burst)}
		p.lanes[l.name] = q
	}
	return q
}

// wait returns when it is a call's turn in all of its lanes. It returns Busy at
// once if the context ends before that.
func (p *pacer) wait(ctx context.Context, lanes []lane) error {
	for {
		now := time.Now()
		turn, giveBack := p.take(lanes, now)
		wait := turn.Sub(now)
		if wait <= 0 {
			return nil
		}
		if end, ok := ctx.Deadline(); ok && turn.Add(leastTime).After(end) {
			giveBack()
			return busy(wait)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			giveBack()
			return busy(time.Until(turn))
		}
		// A pause that Slack asked for in the meantime applies to everybody.
		if !p.paused(lanes, time.Now()) {
			return nil
		}
	}
}

// take reserves a turn in every lane, and returns a function that gives it back
// unused.
func (p *pacer) take(lanes []lane, now time.Time) (turn time.Time, giveBack func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweep(now)
	turn = now
	var undo []func(now time.Time)
	for _, l := range lanes {
		q := p.queue(l)
		from := later(now, q.until)
		r := q.limiter.ReserveN(from, 1)
		at := from.Add(r.DelayFrom(from))
		turn, q.used = later(turn, at), later(q.used, at)
		// Time must not go back for the limiter, because it would count the pause
		// as time in which calls were saved up.
		undo = append(undo, func(now time.Time) { r.CancelAt(later(now, q.until)) })
	}
	return turn, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, fn := range undo {
			fn(time.Now())
		}
	}
}

// pause holds a lane for a while. After it, calls come one by one. Otherwise those
// that waited would all come at once and cause the next pause.
func (p *pacer) pause(l lane, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queue(l)
	q.until = later(q.until, time.Now().Add(d))
	q.used = later(q.used, q.until)
	if spare := int(q.limiter.TokensAt(q.until)) - 1; q.limiter.Limit() != rate.Inf && spare > 0 {
		q.limiter.ReserveN(q.until, spare)
	}
}

func (p *pacer) paused(lanes []lane, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range lanes {
		if q := p.lanes[l.name]; q != nil && q.until.After(now) {
			return true
		}
	}
	return false
}

// sweep forgets lanes that have not been used for a while.
func (p *pacer) sweep(now time.Time) {
	if now.Sub(p.swept) < idle/2 {
		return
	}
	p.swept = now
	for name, q := range p.lanes {
		if now.Sub(q.used) > idle {
			delete(p.lanes, name)
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
