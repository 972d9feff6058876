-- Columns of insights in memory follow the events; see decision 45. Where what is
-- counted of a request has changed and no event of that change names it, untold is
-- a number above all that were given before in its account. Sessions of the virtual
-- agent, of which no event tells, have such numbers in version.
ALTER TABLE requests ADD COLUMN untold BIGINT;
CREATE INDEX requests_untold ON requests (account_id, untold, id) WHERE untold IS NOT NULL;
ALTER TABLE agent_sessions ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
CREATE INDEX agent_sessions_version ON agent_sessions (account_id, version, request_id);
