-- The running clocks of an account, the one due first before the others. It serves
-- lists ordered or narrowed by what is due next. It is written only when a clock
-- starts, stops or moves.
CREATE INDEX request_slas_due ON request_slas (account_id, due_at, request_id) WHERE ended_at IS NULL AND due_at IS NOT NULL;
