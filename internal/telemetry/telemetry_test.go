package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"
)

func TestTracesGoWhereTheEnvironmentSays(t *testing.T) {
	received := make(chan []byte, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/v1/traces" && r.Header.Get("Content-Type") == "application/x-protobuf" {
			received <- b
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=night")
	tracing, err := StartTracing(context.Background(), "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var span trace.SpanContext
	var log bytes.Buffer
	logger, err := NewLogger(&log, slog.LevelInfo, "json")
	if err != nil {
		t.Fatal(err)
	}
	h := tracing.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		span = trace.SpanContextFromContext(r.Context())
		logger.InfoContext(r.Context(), "seen")
	}))
	call := httptest.NewRequest("GET", "/v1/rest/account", nil)
	call.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	h.ServeHTTP(httptest.NewRecorder(), call)
	if err := tracing.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	select {
	case b := <-received:
		for _, want := range []string{"frontdesk", "v1.2.3", "night"} {
			if !bytes.Contains(b, []byte(want)) {
				t.Errorf("what was sent does not name %s", want)
			}
		}
	default:
		t.Error("nothing was sent")
	}
	if got := span.TraceID().String(); got != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("the caller's trace does not go on: %s", got)
	}
	var line map[string]any
	if err := json.Unmarshal(log.Bytes(), &line); err != nil || line["trace_id"] != span.TraceID().String() {
		t.Errorf("the log line %s does not name the trace: %v", log.String(), err)
	}
}

// A stream must not be buffered, and a handler must be able to bound how long its
// reader takes.
func TestTracingLetsStreamsThrough(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	tracing, err := StartTracing(context.Background(), "x")
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	server := httptest.NewServer(tracing.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := control.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Error(err)
		}
		io.WriteString(w, "now")
		if err := control.Flush(); err != nil {
			t.Error(err)
		}
		<-read
	})))
	defer server.Close()
	w, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	if _, err := io.ReadFull(w.Body, make([]byte, 3)); err != nil {
		t.Error(err)
	}
	close(read)
}

func TestTracingIsOffByDefault(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	tracing, err := StartTracing(context.Background(), "x")
	if err != nil {
		t.Fatal(err)
	}
	inner := http.NewServeMux()
	if tracing.Wrap(inner) != http.Handler(inner) {
		t.Error("a handler is wrapped though nobody asked for traces")
	}
	if err := tracing.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestLoggerKeepsItsAttributes(t *testing.T) {
	var b bytes.Buffer
	logger, err := NewLogger(&b, slog.LevelWarn, "text")
	if err != nil {
		t.Fatal(err)
	}
	logger.Info("too quiet")
	logger.With("node", 7).WithGroup("call").Warn("heard", "ms", 3)
	if got := b.String(); strings.Contains(got, "quiet") || !strings.Contains(got, "node=7 call.ms=3") {
		t.Errorf("logged %q", got)
	}
	if _, err := NewLogger(&b, slog.LevelInfo, "xml"); err == nil {
		t.Error("an unknown format is taken")
	}
}

func TestMetricsCountCalls(t *testing.T) {
	m := NewMetrics("v1.2.3")
	m.Call("getAccount", "GET", 200, 2*time.Millisecond)
	m.Call("", "MADE-UP-BY-A-CALLER", 404, time.Millisecond)
	m.Counter("frontdesk_things_total", "Things.", func() uint64 { return 42 })
	m.Gauge("frontdesk_level", "A level.", func() float64 { return 1.5 })
	w := httptest.NewRecorder()
	Operations(m).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		`frontdesk_http_call_duration_seconds_count{method="GET",operation="getAccount",status="200"} 1`,
		`frontdesk_http_call_duration_seconds_count{method="any",operation="none",status="404"} 1`,
		"frontdesk_things_total 42",
		"frontdesk_level 1.5",
		`frontdesk_build_info{version="v1.2.3"} 1`,
		"go_goroutines",
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("metrics lack %s", want)
		}
	}
}
