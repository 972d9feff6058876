package sandbox

import (
	"context"
	"fmt"
	"hash/fnv"
	"html"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// serveAvatar draws the initials of a member or a workspace. Nothing is fetched
// from outside, and the picture of an id never changes.
func (s *Sandbox) serveAvatar(w http.ResponseWriter, r *http.Request) {
	id, rest, _ := strings.Cut(strings.TrimSuffix(r.PathValue("picture"), ".svg"), "-")
	_, digits, _ := strings.Cut(rest, "-")
	size, err := strconv.Atoi(digits)
	if err != nil || size < 1 || size > 1024 {
		http.NotFound(w, r)
		return
	}
	name, err := s.nameOf(r.Context(), id)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	w.Header().Set("Cache-Control", "public, max-age=300")
	fmt.Fprint(w, drawAvatar(id, name, size))
}

// nameOf returns the name of a member or a workspace.
func (s *Sandbox) nameOf(ctx context.Context, id string) (string, error) {
	if strings.HasPrefix(id, "T") {
		w, err := s.Workspace(ctx, id)
		return w.Name, err
	}
	u, err := s.User(ctx, id)
	return u.RealName, err
}

func drawAvatar(id, name string, size int) string {
	h := fnv.New32a()
	h.Write([]byte(id))
	hue := h.Sum32() % 360
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 64 64">`+
		`<rect width="64" height="64" rx="12" fill="hsl(%d 45%% 42%%)"/>`+
		`<text x="32" y="33" fill="#fff" font-family="sans-serif" font-size="26" text-anchor="middle" dominant-baseline="central">%s</text></svg>`,
		size, size, hue, html.EscapeString(initials(name)))
}

func initials(name string) string {
	var b strings.Builder
	for i, word := range strings.Fields(name) {
		if i == 2 {
			break
		}
		r, _ := utf8.DecodeRuneInString(word)
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String())
}
