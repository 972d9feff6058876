package telemetry

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
)

// A gauge that cannot be read is missing, and the others are there.
func TestGaugesThatCannotBeReadAreMissing(t *testing.T) {
	m := NewMetrics("x")
	m.Gauges("late_seconds", "Late.", "queue", func() (map[string]float64, error) { return map[string]float64{"main": 1.5, "mail": 0}, nil })
	m.Gauges("plain", "Plain.", "", func() (map[string]float64, error) { return map[string]float64{"": 3}, nil })
	m.Gauges("broken", "Broken.", "queue", func() (map[string]float64, error) { return map[string]float64{"main": 1}, errors.New("no database") })
	answer := httptest.NewRecorder()
	Operations(m).ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{"late_seconds{queue=\"main\"} 1.5\n", "late_seconds{queue=\"mail\"} 0\n", "\nplain 3\n", "frontdesk_build_info"} {
		if !strings.Contains(answer.Body.String(), want) {
			t.Errorf("there is no %q", want)
		}
	}
	if answer.Code != 200 || strings.Contains(answer.Body.String(), "broken") {
		t.Errorf("%d:\n%s", answer.Code, answer.Body)
	}
}
