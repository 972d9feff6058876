package desk

import (
	"mime"
	"path"
	"strings"
	"time"
	"unicode"
)

type AttachmentID int64

// Attachment is a file of a message.
type Attachment struct {
	ID        AttachmentID
	Name      string
	Type      string // its media type, as sent
	Size      int64
	Key       string // where its bytes are stored; never shown
	CreatedAt time.Time
}

const (
	// MostFiles bounds the files of one call.
	MostFiles = 5
	// MostFile is the maximum size of a file, in bytes.
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

	Field CustomFieldID // the custom field whose value it belongs to; 0 for none
}

// FileName makes a sent name safe to show and save: it keeps the last part of the
// path, drops invisible characters, and is never empty. Without this, a character
// that reverses the direction of text would show gpj.exe as exe.jpg.
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

// invisible reports whether a character shows nothing: controls, direction marks,
// joiners, variation selectors, and blank letters.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || r == blankBraille
}

const blankBraille = 0x2800

// FileType returns a sent media type without its parameters, or
// application/octet-stream if it is not valid.
func FileType(sent string) string {
	media, _, err := mime.ParseMediaType(sent)
	if err != nil || !strings.Contains(media, "/") || len(media) > 100 {
		return "application/octet-stream"
	}
	return media
}

// TooManyFiles returns the error for a call with more than MostFiles files in the
// named field.
func TooManyFiles(field string) error {
	return Wrong(field, "must be at most %d files", MostFiles)
}
