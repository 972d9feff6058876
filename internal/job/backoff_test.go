package job_test

import (
	"testing"
	"time"

	"frontdesk/internal/job"
)

func TestBackoffDoublesWithinBounds(t *testing.T) {
	want := time.Second
	for failures := 1; failures <= 100; failures++ {
		least, most := time.Duration(1<<62), time.Duration(0)
		for range 2000 {
			d := job.Backoff(failures)
			least, most = min(least, d), max(most, d)
		}
		if least < want*3/4 || most > want*5/4 {
			t.Errorf("after %d failures: %v to %v, want %v give or take a quarter", failures, least, most, want)
		}
		if most-least < want*2/5 {
			t.Errorf("after %d failures: %v to %v hardly differ", failures, least, most)
		}
		want = min(2*want, time.Hour)
	}
}

func TestBackoffOfNoFailure(t *testing.T) {
	if d := job.Backoff(0); d < 750*time.Millisecond || d > 1250*time.Millisecond {
		t.Error(d)
	}
}
