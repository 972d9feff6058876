-- The audit log by action, so that a search for one failed sign-in does not
-- read a year of messages.
CREATE INDEX audit_logs_action ON audit_logs (account_id, action, at, id);
