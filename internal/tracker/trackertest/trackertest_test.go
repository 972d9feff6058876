package trackertest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestMemory(t *testing.T) { Run(t, remembered("")) }

// flaws lists mistakes that a tracker can make, and the test that must notice each.
var flaws = map[string]string{
	"says again":           "say/answer_lost_at_each_step",
	"looks at the last":    "say/far_behind",
	"says what is written": "say/hostile_text",
	"tells all":            "say/private",
	"speaks to the closed": "say/closed",
	"reads twice":          "comments/each_once",
	"skips":                "comments/each_once",
	"moves anyway":         "status/left_alone",
	"unknown for busy":     "error/busy",
	"refused for lost":     "error/lost",
	"refused for missing":  "error/not_found",
	"watches twice":        "watch/twice",
	"misses the watch":     "watch/unwatch",
	"believes anybody":     "watch/forged",
	"believes for ever":    "watch/forged",
	"names anew":           "watch/told_again",
}

// flawed is the environment variable that sets the flaw of a test process.
const flawed = "TRACKERTEST_FLAW"

// TestFlaw runs the suite with a flaw. TestFlawsAreSeen starts it.
func TestFlaw(t *testing.T) {
	flaw := os.Getenv(flawed)
	if flaw == "" {
		t.Skip("there is no flaw")
	}
	Run(t, remembered(flaw))
}

// A suite that passes whatever is wrong would prove nothing.
func TestFlawsAreSeen(t *testing.T) {
	for flaw, proof := range flaws {
		t.Run(flaw, func(t *testing.T) {
			t.Parallel()
			of, name, _ := strings.Cut(proof, "/")
			cmd := exec.Command(os.Args[0], "-test.run", "^TestFlaw$/^"+of+"$/^"+name+"$")
			cmd.Env = append(os.Environ(), flawed+"="+flaw)
			out, err := cmd.CombinedOutput()
			if _, failed := err.(*exec.ExitError); !failed {
				t.Errorf("%s does not see it: %v\n%s", proof, err, out)
			}
		})
	}
}
