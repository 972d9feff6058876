-- The audit log by what was done: who looks for the one sign-in that failed does
-- not read a year of messages.
CREATE INDEX audit_logs_action ON audit_logs (account_id, action, at, id);
