package wire

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strconv"

	"frontdesk/internal/desk"
)

// auditColumns is the header row of the audit log as CSV.
var auditColumns = []string{"id", "at", "actor_id", "actor_name", "actor_email", "action", "resource_type", "resource_id", "source", "ip", "before", "after"}

// WriteAuditLogs writes entries of the audit log one by one. As JSON Lines, each
// entry has the same form as in the API. As CSV, before and after are JSON in a
// cell. If it fails, the output so far is incomplete.
func WriteAuditLogs(w io.Writer, format desk.ExportFormat, entries iter.Seq2[desk.AuditLog, error]) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if format == desk.CSV {
		if err := CSVRow(b, auditColumns...); err != nil {
			return fmt.Errorf("write the audit log: %w", err)
		}
	}
	for e, err := range entries {
		if err == nil {
			err = writeAuditLog(b, format, e)
		}
		if err != nil {
			return fmt.Errorf("write the audit log: %w", err)
		}
	}
	return b.Flush()
}

func writeAuditLog(w io.Writer, format desk.ExportFormat, e desk.AuditLog) error {
	if format == desk.CSV {
		id := ""
		if e.Actor.ID != 0 {
			id = strconv.FormatInt(int64(e.Actor.ID), 10)
		}
		return CSVRow(w, strconv.FormatInt(int64(e.ID), 10), string(NewTime(e.At)), id, e.Actor.Name, e.Actor.Email, e.Action, e.ResourceType, e.ResourceID,
			string(e.Actor.Source), e.Actor.IP, string(e.Before), string(e.After))
	}
	line, err := JSON(NewAuditLog(e))
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
