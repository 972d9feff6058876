package blob_test

import (
	"strings"
	"testing"

	"frontdesk/internal/blob"
	"frontdesk/internal/desk"
)

func TestKeyComesBack(t *testing.T) {
	seen := map[blob.Key]bool{}
	for _, account := range []desk.AccountID{1, 17, 1<<63 - 1} {
		for range 100 {
			key := blob.NewKey(account)
			if seen[key] {
				t.Fatalf("%s was made twice", key)
			}
			seen[key] = true
			back, err := blob.ParseKey(key.String())
			if err != nil || back != key || back.Account() != account || back.IsZero() {
				t.Errorf("%s came back as %s of account %d, %v", key, back, back.Account(), err)
			}
		}
	}
}

func TestZeroKey(t *testing.T) {
	var key blob.Key
	if !key.IsZero() || key.String() != "" || key.Account() != 0 {
		t.Errorf("the zero key is %q of account %d", key, key.Account())
	}
}

func TestNewKeyNeedsAnAccount(t *testing.T) {
	for _, account := range []desk.AccountID{0, -1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("NewKey(%d) did not panic", account)
				}
			}()
			blob.NewKey(account)
		}()
	}
}

const good = "9f86d081884c7d659a2feaa0c55ad015"

var hostile = []string{
	"", "/", "17", "17/", "/" + good, good, "17/" + good[1:], "17/" + good + "0", "17/" + good + "/", "17//" + good,
	"../../etc/passwd", "17/../../../../../../../etc/passwd", "17/../" + good[3:], "17/.." + good[2:], "17/./" + good[2:],
	"/17/" + good, "./17/" + good, "//17/" + good, `C:\17\` + good, `17\` + good, "17/" + strings.ToUpper(good),
	"+17/" + good, "-17/" + good, "017/" + good, "0/" + good, "00/" + good, " 17/" + good, "17 /" + good, "1_7/" + good, "0x11/" + good, "١٧/" + good,
	"9223372036854775808/" + good, "17/" + good + "\x00", "17/" + good[1:] + "\x00", "17/" + good[1:] + "\n", "17/" + good[1:] + "/", "17/" + good[1:] + ".",
	"17/" + good[1:] + "g", "17/" + good[2:] + "é", "17/" + good[1:] + "%", "17/ab/" + good[3:], "17-" + good, "17/" + good + "?versionId=1",
	"17/*", "17/~root", "17/$(reboot)", "17/'; DROP TABLE files; --", "17/<script>", strings.Repeat("1", 1<<16) + "/" + good,
}

func TestParseKeyRefusesWhatIsHostile(t *testing.T) {
	if _, err := blob.ParseKey("17/" + good); err != nil {
		t.Fatalf("the good one: %v", err)
	}
	for _, text := range hostile {
		if key, err := blob.ParseKey(text); err == nil || !key.IsZero() {
			t.Errorf("%.100q is the key %q", text, key)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add("17/" + good)
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, err := blob.ParseKey(text)
		if err != nil {
			return
		}
		if key.String() != text {
			t.Errorf("%q came back as %q", text, key)
		}
		if strings.Trim(text, "0123456789abcdef/") != "" || strings.Count(text, "/") != 1 || strings.HasPrefix(text, "/") {
			t.Errorf("%q is a key", text)
		}
	})
}
