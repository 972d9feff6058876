// Command common-passwords makes internal/desk/common_passwords.bin, by which
// passwords that many people use are refused.
//
// It reads a JSON list of passwords and writes the first four bytes of the SHA-256
// digest of each, sorted. The list in use is passwords.json of the npm package
// @zxcvbn-ts/language-common 4.1.3 (MIT licence, © Dan Wheeler, Dropbox and
// zxcvbn-ts), which counts what was found in published leaks:
//
//	npm pack @zxcvbn-ts/language-common@4.1.3
//	tar xzf zxcvbn-ts-language-common-4.1.3.tgz package/src/passwords.json
//	go run ./scripts/common-passwords <package/src/passwords.json >internal/desk/common_passwords.bin
//
// Of its 49,233 passwords it keeps the 35,000 that can decide anything: those that
// are long enough to be chosen, and those to which somebody can add digits and signs.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/desk"
)

const digestSize = 4

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "common-passwords:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var list []string
	if err := json.NewDecoder(in).Decode(&list); err != nil {
		return fmt.Errorf("read the list: %w", err)
	}
	var digests [][]byte
	for _, password := range list {
		if password = desk.Fold(password); decides(password) {
			sum := sha256.Sum256([]byte(password))
			digests = append(digests, sum[:digestSize])
		}
	}
	slices.SortFunc(digests, bytes.Compare)
	_, err := out.Write(bytes.Join(slices.CompactFunc(digests, bytes.Equal), nil))
	return err
}

func decides(password string) bool {
	first, _ := utf8.DecodeRuneInString(password)
	last, _ := utf8.DecodeLastRuneInString(password)
	return utf8.RuneCountInString(password) >= desk.LeastPassword || unicode.IsLetter(first) && unicode.IsLetter(last)
}
