package slack

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A ts is Slack's name of a message in its channel, and its time in
// microseconds: 1718000000.000100. Their order is that of the messages.

// parseTS reads a ts as microseconds. It gives false for anything else.
func parseTS(ts string) (micros int64, ok bool) {
	seconds, fraction, ok := strings.Cut(ts, ".")
	if !ok || len(seconds) > 12 || len(fraction) != 6 {
		return 0, false
	}
	for _, r := range seconds + fraction {
		if r < '0' || r > '9' {
			return 0, false
		}
	}
	micros, err := strconv.ParseInt(seconds+fraction, 10, 64)
	return micros, err == nil
}

// timeOf is the time of a ts, zero for what is none.
func timeOf(ts string) time.Time {
	micros, ok := parseTS(ts)
	if !ok {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// tsAt is the ts of a moment.
func tsAt(t time.Time) string {
	micros := max(t.UnixMicro(), 1)
	return fmt.Sprintf("%d.%06d", micros/1e6, micros%1e6)
}

// beginning is a ts before every message. Given as the oldest, it makes Slack
// page from the old end; 0 would stand for not given.
const beginning = "0.000001"

// after reports whether one ts is later than another. Everything is later than
// what is none.
func after(ts, other string) bool {
	a, _ := parseTS(ts)
	b, _ := parseTS(other)
	return a > b
}

// threadOf is the thread of a message, empty for one at the top level: the
// first message of a thread names itself.
func threadOf(ts, threadTS string) string {
	if threadTS == ts {
		return ""
	}
	return threadTS
}

// link is where people open a message, as chat.getPermalink would say.
func link(base, channel, ts, threadTS string) string {
	if base == "" {
		return ""
	}
	address := base + "/archives/" + channel + "/p" + strings.ReplaceAll(ts, ".", "")
	if thread := threadOf(ts, threadTS); thread != "" {
		address += "?thread_ts=" + thread + "&cid=" + channel
	}
	return address
}
