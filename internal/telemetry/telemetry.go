// Package telemetry has the logs, metrics and traces through which an operator
// watches a running server. It knows no word of the product. Other packages use it
// to report what happens.
package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// NewLogger returns a structured logger. The format is json, or text for people.
func NewLogger(w io.Writer, level slog.Level, format string) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: level}
	switch format {
	case "json":
		return slog.New(traced{slog.NewJSONHandler(w, options)}), nil
	case "text":
		return slog.New(traced{slog.NewTextHandler(w, options)}), nil
	}
	return nil, fmt.Errorf("the log format must be json or text, not %q", format)
}

// traced adds the trace and span ids to a log line, if its context has any.
type traced struct{ slog.Handler }

func (t traced) Handle(ctx context.Context, r slog.Record) error {
	if span := oteltrace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return t.Handler.Handle(ctx, r)
}

func (t traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{t.Handler.WithAttrs(attrs)} }

func (t traced) WithGroup(name string) slog.Handler { return traced{t.Handler.WithGroup(name)} }

// Tracing sends traces to where OpenTelemetry's own environment variables say. It
// is off, and costs nothing, unless OTEL_EXPORTER_OTLP_ENDPOINT or its variant for
// traces is set.
type Tracing struct{ provider *trace.TracerProvider }

// StartTracing configures tracing from the environment.
func StartTracing(ctx context.Context, version string) (*Tracing, error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" ||
		strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return &Tracing{}, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("start tracing: %w", err)
	}
	what, err := resource.Merge(resource.Default(), resource.NewSchemaless(
		attribute.String("service.name", "frontdesk"), attribute.String("service.version", version)))
	if err != nil {
		return nil, fmt.Errorf("start tracing: %w", err)
	}
	// The environment wins, because an operator may run several servers under
	// different names.
	if fromEnv, err := resource.New(ctx, resource.WithFromEnv()); err == nil {
		if merged, err := resource.Merge(what, fromEnv); err == nil {
			what = merged
		}
	}
	t := &Tracing{trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(what))}
	otel.SetTracerProvider(t.provider)
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}))
	return t, nil
}

// Wrap makes every call of a handler a span, if tracing is on.
func (t *Tracing) Wrap(h http.Handler) http.Handler {
	if t.provider == nil {
		return h
	}
	return otelhttp.NewHandler(h, "http", otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method }))
}

// Stop sends the remaining traces.
func (t *Tracing) Stop(ctx context.Context) error {
	if t.provider == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Operations returns the handler for the operations address: metrics and profiles.
func Operations(m *Metrics) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}
