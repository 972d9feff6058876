package service

import (
	"crypto/rand"
	"encoding/base64"
	"slices"
	"strings"

	"frontdesk/internal/change"
	"frontdesk/internal/desk"
)

// A known browser holds a name, and a mark for each of the last emails that signed
// in there: name.mark.mark. Nobody else can make a mark, and a mark does not reveal
// the email.
const (
	deviceName = 26  // the length of rand.Text
	mostDevice = 300 // anything longer is not ours
	mostMarks  = 5
)

// knows reports whether somebody with an email, which must be folded, has signed in
// with a browser before. It also returns the browser's name.
func (s *Service) knows(device, email string) (name string, known bool) {
	name, marks := readDevice(device)
	for _, mark := range marks {
		if b, err := base64.RawURLEncoding.DecodeString(mark); err == nil && s.devices.Check(b, []byte(name), []byte(email)) {
			known = true
		}
	}
	return name, known
}

// know records in a browser's text that somebody signed in there with an email,
// next to the earlier ones.
func (s *Service) know(device, email string) string {
	name, marks := readDevice(device)
	if name == "" {
		name = rand.Text()
	}
	mark := base64.RawURLEncoding.EncodeToString(s.devices.Sign([]byte(name), []byte(desk.FoldEmail(email)))[:change.MarkSize])
	marks = slices.DeleteFunc(marks, func(m string) bool { return m == mark })
	marks = append([]string{mark}, marks...)
	return strings.Join(append([]string{name}, marks[:min(len(marks), mostMarks)]...), ".")
}

func readDevice(device string) (name string, marks []string) {
	parts := strings.Split(device, ".")
	if len(device) > mostDevice || len(parts[0]) != deviceName {
		return "", nil
	}
	return parts[0], parts[1:]
}
