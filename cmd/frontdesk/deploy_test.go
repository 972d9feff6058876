package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
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

// deployFiles returns the files for operators, by path.
func deployFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	read := func(path string) {
		b, err := os.ReadFile(path)
		must(t, err)
		files[path] = string(b)
	}
	for _, name := range []string{"Dockerfile", "compose.yaml", "compose.postgres.yaml"} {
		read(filepath.Join(deployFolder, "..", name))
	}
	must(t, filepath.WalkDir(deployFolder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			read(path)
		}
		return err
	}))
	return files
}

// A setting that is renamed or removed is renamed there, too.
func TestDeployNamesSettingsThatExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, f := range commandLine(t).Model.Flags {
		for _, env := range f.Envs {
			known[env] = true
		}
	}
	named := 0
	for path, text := range deployFiles(t) {
		for _, name := range regexp.MustCompile(`FRONTDESK_[A-Z0-9_]+`).FindAllString(text, -1) {
			if named++; !known[name] {
				t.Errorf("%s: there is no setting %s", path, name)
			}
		}
		var doc any
		switch filepath.Ext(path) {
		case ".yaml":
			if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		case ".json":
			if err := json.Unmarshal([]byte(text), &doc); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if named < len(known) { // the settings file alone has them all
		t.Errorf("only %d settings are named", named)
	}
}

// An alert over a metric that does not exist never fires.
func TestDeployNamesMetricsThatExist(t *testing.T) {
	t.Parallel()
	in := install(t, dbtest.URL(t, sqldb.SQLite))
	token := in.account()
	operations := freeAddr(t)
	p := in.start("--operations-addr", operations, "--backup-to", filepath.Join(t.TempDir(), "backups"))
	p.get(t, token, "/account", &struct{}{}) // an operation has metrics once it was called
	r, err := http.Get("http://" + operations + "/metrics")
	must(t, err)
	defer r.Body.Close()
	printed, err := io.ReadAll(r.Body)
	must(t, err)
	exists := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z_]+)(?:\{| )`).FindAllStringSubmatch(string(printed), -1) {
		exists[m[1]] = true
	}
	named := 0
	for path, text := range deployFiles(t) {
		if folder := filepath.Base(filepath.Dir(path)); folder != "grafana" && folder != "prometheus" {
			continue
		}
		for _, name := range regexp.MustCompile(`\b(?:frontdesk|process|go)_[a-z_]+`).FindAllString(text, -1) {
			if named++; !exists[name] {
				t.Errorf("%s: there is no metric %s", path, name)
			}
		}
	}
	if named < 40 {
		t.Errorf("only %d metrics are named", named)
	}
}
