package rest

import (
	"iter"
	"math"
	"mime"
	"net/http"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/wire"
)

// auditLogPage reads the filter of the audit log, and the page.
func auditLogPage(c *call, p *desk.Problems) (desk.AuditLogFilter, desk.Page) {
	page := c.page(p)
	return c.auditLogFilter(p), page
}

func (c *call) auditLogFilter(p *desk.Problems) desk.AuditLogFilter {
	return desk.AuditLogFilter{
		Action:       c.text(p, "action"),
		ResourceType: c.text(p, "resource_type"),
		ResourceID:   c.text(p, "resource_id"),
		Actor:        desk.MemberID(c.integer(p, "actor", 0, 1, math.MaxInt64)),
	}
}

// exportAuditLogs returns the audit log as a file.
func (s *Server) exportAuditLogs(c *call) (any, error) {
	var p desk.Problems
	x := desk.AuditExport{Format: desk.JSONLines, Filter: c.auditLogFilter(&p), After: floorMS(c.moment(&p, "after")), Before: ceilMS(c.moment(&p, "before"))}
	if c.query(&p).Has("format") {
		x.Format = desk.ExportFormat(c.text(&p, "format"))
		desk.OneOf(&p, "format", x.Format, desk.ExportFormats...)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	out := auditExport{format: x.Format, name: "audit-log-" + time.Now().UTC().Format("2006-01-02T150405Z") + "." + string(x.Format)}
	if c.req.Method == http.MethodHead { // nobody has taken anything
		return out, nil
	}
	var err error
	out.entries, err = s.service.ExportAuditLogs(c.ctx, c.caller, x)
	return out, err
}

// auditExport is an audit log that is sent as a file. Without entries it sends only
// the headers.
type auditExport struct {
	name    string
	format  desk.ExportFormat
	entries iter.Seq2[desk.AuditLog, error]
}

var exportTypes = map[desk.ExportFormat]string{desk.JSONLines: "application/jsonl", desk.CSV: "text/csv; charset=utf-8; header=present"}

// serve writes the file while the log is read.
func (x auditExport) serve(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", exportTypes[x.format])
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": x.name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	w.WriteHeader(http.StatusOK)
	if x.entries == nil {
		return nil
	}
	return wire.WriteAuditLogs(w, x.format, x.entries)
}
