package slack

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/chat"
)

// A ts is Slack's name for a message in its channel, and its time in microseconds:
// 1718000000.000100. They sort in the order of the messages.

var stamps = regexp.MustCompile(`^[0-9]{0,12}\.[0-9]{6}$`)

// parseTS reads a ts as microseconds. It returns false for anything else.
func parseTS(ts string) (micros int64, ok bool) {
	if !stamps.MatchString(ts) {
		return 0, false
	}
	micros, err := strconv.ParseInt(strings.Replace(ts, ".", "", 1), 10, 64)
	return micros, err == nil
}

// timeOf returns the time of a ts, zero for anything else.
func timeOf(ts string) time.Time {
	micros, ok := parseTS(ts)
	if !ok {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// tsAt returns the ts of a moment.
func tsAt(t time.Time) string {
	micros := max(t.UnixMicro(), 1)
	return fmt.Sprintf("%d.%06d", micros/1e6, micros%1e6)
}

// beginning is a ts before every message. As oldest it makes Slack page from the
// old end; 0 would count as not given.
const beginning = "0.000001"

// after reports whether one ts is later than another. Everything is later than an
// invalid one.
func after(ts, other string) bool {
	a, _ := parseTS(ts)
	b, _ := parseTS(other)
	return a > b
}

// threadOf returns the thread of a message, empty at the top level. The first
// message of a thread names itself.
func threadOf(ts, threadTS string) string {
	if threadTS == ts {
		return ""
	}
	return threadTS
}

// link returns where people open a message, as chat.getPermalink would.
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

// linked parses a link into the workspace's address and the message. A link may
// also name the thread, which is not needed to find the message.
func linked(address string) (base string, at chat.Ref, ok bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return "", at, false
	}
	path, rest, ok := strings.Cut(strings.TrimSuffix(u.Path, "/"), "/archives/")
	channel, stamp, both := strings.Cut(rest, "/")
	digits, isStamp := strings.CutPrefix(stamp, "p")
	if !ok || !both || !isStamp || len(digits) < 7 || !ids.MatchString(channel) {
		return "", at, false
	}
	cut := len(digits) - 6
	at = chat.Ref{Channel: channel, ID: digits[:cut] + "." + digits[cut:]}
	_, ok = parseTS(at.ID)
	return u.Scheme + "://" + u.Host + path, at, ok
}

// ids matches one of Slack's ids: C0123ABCD.
var ids = regexp.MustCompile(`^[A-Z0-9_]{1,64}$`)

// sameAddress reports whether two addresses belong to one workspace, whatever the
// scheme, because people paste both.
func sameAddress(a, b string) bool {
	x, err := url.Parse(a)
	y, otherErr := url.Parse(b)
	return err == nil && otherErr == nil && strings.EqualFold(x.Host, y.Host) && x.Path == y.Path
}
