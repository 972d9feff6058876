package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const nodeFolder = "testdata/node"

// missingTool ends a test if a tool is missing on the machine. It fails where
// everything should be installed, and skips elsewhere.
func missingTool(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// nodeClient returns a folder with Slack's published client for Node. It is kept
// outside the repository, under a name from the lock file.
func nodeClient(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		missingTool(t, "npm is not installed")
	}
	h := sha256.New()
	for _, name := range []string{"package.json", "package-lock.json"} {
		h.Write(must(os.ReadFile(filepath.Join(nodeFolder, name))))
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "frontdesk-tests", "node-"+hex.EncodeToString(h.Sum(nil))[:16])
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	// Complete it before giving it its name, because other test runs may look for
	// it.
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	draft := must(os.MkdirTemp(filepath.Dir(folder), "draft-"))
	defer os.RemoveAll(draft)
	for _, name := range []string{"package.json", "package-lock.json"} {
		if err := os.WriteFile(filepath.Join(draft, name), must(os.ReadFile(filepath.Join(nodeFolder, name))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = draft
	if out, err := cmd.CombinedOutput(); err != nil {
		missingTool(t, "npm ci: %v\n%s", err, out)
	}
	if err := os.Rename(draft, folder); err != nil {
		if _, there := os.Stat(folder); there != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// The lock file pins what is installed, and does not say where a machine gets it
// from.
func TestNodeLockNamesNoRegistry(t *testing.T) {
	lock := string(must(os.ReadFile(filepath.Join(nodeFolder, "package-lock.json"))))
	if strings.Contains(lock, `"resolved"`) {
		t.Error("package-lock.json names a registry: run npm install with omit-lockfile-registry-resolved")
	}
	if strings.Count(lock, `"integrity"`) < 10 {
		t.Error("package-lock.json does not pin what it installs")
	}
}

func TestNodeClient(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		missingTool(t, "node is not installed")
	}
	folder := nodeClient(t)
	w := newWorld(t)
	maya := w.person("Maya")
	c := w.channel("desk", maya)
	must(w.s.CreateUsergroup(w.ctx, w.owner, "Support", "support", []string{maya}))
	_, ts, heard := w.pressed(c, "go", "")
	if o := w.call(w.in.BotToken, "chat.delete", args("channel", c, "ts", ts)); o["ok"] != true {
		t.Fatal(o)
	}
	back, _ := w.authorize(args("client_id", w.app.ClientID, "scope", "chat:write", "user_scope", "users:read"))
	env := encode(object{
		"url": w.url, "team": w.team, "owner": w.owner, "maya": maya, "stranger": w.person("Ines"), "mayaToken": w.token(maya),
		"bot": w.in.BotToken, "botUser": w.in.BotUserID, "botID": w.in.BotID, "poor": w.botWith("chat:write"),
		"clientID": w.app.ClientID, "clientSecret": w.app.ClientSecret, "code": back.Query().Get("code"), "doorCode": theCode,
		"channel": c, "general": w.general, "trigger": dig(heard.json, "trigger_id"),
	})
	cmd := exec.Command(node, filepath.Join(nodeFolder, "drive.js"))
	cmd.Env = append(os.Environ(), "SANDBOX="+string(env), "NODE_PATH="+filepath.Join(folder, "node_modules"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if n := strings.Count(string(out), "ok "); n < 10 {
		t.Errorf("only %d parts ran:\n%s", n, out)
	}
}
