package desk

import (
	"mime"
	"path"
	"strings"
	"time"
	"unicode"
)

// Attachment is a file of a message.
type Attachment struct {
	ID        AttachmentID
	Name      string
	Type      string // its media type, as it was said
	Size      int64
	Key       string // where its bytes are; never shown
	CreatedAt time.Time
}

const (
	// MostFiles is how many files a call may carry.
	MostFiles = 5
	// MostFile is how large one may be, in bytes.
	MostFile = 104_857_600

	mostFileName = 255
)

// ErrFileTooLarge refuses a file over MostFile.
var ErrFileTooLarge = Errorf(TooLarge, "A file is larger than 100 MB (%d bytes).", MostFile)

// NewFile is a file whose bytes have been stored, to be attached to a message.
type NewFile struct {
	Key  string
	Name string
	Type string
	Size int64
	Sum  []byte // SHA-256

	Field CustomFieldID // whose value it is a part of; 0 for none
}

// FileName makes a name that was sent fit to be shown and saved: its last part,
// without what cannot be seen, and never empty. A character that turns the
// direction of the text would show exe.jpg where gpj.exe is meant.
func FileName(sent string) string {
	name := path.Base(strings.ReplaceAll(sent, `\`, "/"))
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, name))
	if letters := []rune(name); len(letters) > mostFileName {
		extension := path.Ext(name)
		if len([]rune(extension)) > 20 {
			extension = ""
		}
		name = string(letters[:mostFileName-len([]rune(extension))]) + extension
	}
	if name == "" || name == "." || name == ".." || name == "/" {
		return "file"
	}
	return name
}

// invisible reports whether a character shows nothing of itself: controls, what
// sets the direction or joins letters, variations, and letters that are blank.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || r == blankBraille
}

const blankBraille = 0x2800

// FileType is a media type that was sent, made plain; what is none is
// application/octet-stream.
func FileType(sent string) string {
	media, _, err := mime.ParseMediaType(sent)
	if err != nil || !strings.Contains(media, "/") || len(media) > 100 {
		return "application/octet-stream"
	}
	return media
}

// TooManyFiles refuses a call with more than MostFiles files, which it calls so.
func TooManyFiles(field string) error {
	var p Problems
	p.Add(field, "must be at most %d files", MostFiles)
	return p.Err()
}
