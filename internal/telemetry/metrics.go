package telemetry

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics holds the metrics of one process.
type Metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.HistogramVec
}

// NewMetrics returns metrics that already include those of the Go process.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "frontdesk_http_call_duration_seconds",
			Help:    "Calls of the API by operation, method and status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"operation", "method", "status"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "frontdesk_build_info", Help: "The version that runs.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.calls, build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Call counts an API call. An unknown operation counts as "none", and so does an
// unknown HTTP method, so that callers cannot invent labels.
func (m *Metrics) Call(operation, method string, status int, took time.Duration) {
	if operation == "" {
		operation, method = "none", "any"
	}
	m.calls.WithLabelValues(operation, method, strconv.Itoa(status)).Observe(took.Seconds())
}

// Counter adds a counter. Its value is read when the metrics are collected.
func (m *Metrics) Counter(name, help string, read func() uint64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
		func() float64 { return float64(read()) }))
}

// Gauge adds a value that goes up and down. It is read when the metrics are collected.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}
