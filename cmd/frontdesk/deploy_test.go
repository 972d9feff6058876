package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// deployFolder is where the files for operators are.
const deployFolder = "../../deploy"

const settingsFileHead = `# Settings of Frontdesk, one NAME=value in a line. Each has its default. After a change: systemctl restart frontdesk
#
# A variable of the same name in the service's environment wins over a line here.

`

// The settings file of the Debian package has every setting with its explanation
// and default. Run with -args -update to rewrite it.
func TestHelpIsInTheSettingsFile(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString(settingsFileHead)
	sections := sectionFlags(commandLine(t).Model.Flags)
	for _, title := range sections.titles {
		heading := "Common settings:"
		if title != commonFlags {
			heading = title
		}
		fmt.Fprintf(&text, "### %s\n\n", strings.TrimSuffix(heading, ":"))
		for _, f := range sections.flags[title] {
			if len(f.Envs) == 0 || f.Envs[0] == "FRONTDESK_CONFIG" {
				continue
			}
			for _, line := range wrapText(f.Help, 120) {
				fmt.Fprintf(&text, "# %s\n", line)
			}
			switch {
			case f.Envs[0] == "FRONTDESK_DATA":
				fmt.Fprintf(&text, "%s=/var/lib/frontdesk\n\n", f.Envs[0])
			case f.IsBool():
				fmt.Fprintf(&text, "#%s=%s\n\n", f.Envs[0], cmp.Or(f.Default, "false"))
			default:
				fmt.Fprintf(&text, "#%s=%s\n\n", f.Envs[0], f.Default)
			}
		}
	}
	path := filepath.Join(deployFolder, "debian", "frontdesk.conf")
	if *updateHelp {
		must(t, os.WriteFile(path, []byte(text.String()), 0o644))
	}
	got, err := os.ReadFile(path)
	must(t, err)
	if string(got) != text.String() {
		t.Errorf("%s is not as it would be made (go test ./cmd/frontdesk -run TestHelp -args -update makes it)", path)
	}
	if _, err := readSettings(path); err != nil {
		t.Error(err)
	}
}
