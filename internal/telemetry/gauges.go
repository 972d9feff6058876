package telemetry

import "github.com/prometheus/client_golang/prometheus"

// Gauges adds a gauge with a label, or without one if label is empty. Its values by
// label are read when the metrics are collected. While they cannot be read, there are
// none, and the other metrics are there as ever.
func (m *Metrics) Gauges(name, help, label string, read func() (map[string]float64, error)) {
	g := &gauges{read: read, labelled: label != ""}
	var labels []string
	if g.labelled {
		labels = []string{label}
	}
	g.desc = prometheus.NewDesc(name, help, labels, nil)
	m.registry.MustRegister(g)
}

type gauges struct {
	desc     *prometheus.Desc
	labelled bool
	read     func() (map[string]float64, error)
}

func (g *gauges) Describe(to chan<- *prometheus.Desc) { to <- g.desc }

func (g *gauges) Collect(to chan<- prometheus.Metric) {
	values, err := g.read()
	if err != nil {
		return
	}
	for label, value := range values {
		var labels []string
		if g.labelled {
			labels = []string{label}
		}
		to <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, value, labels...)
	}
}
