-- What people call a request: ACME-293. number is the request's own, counted for each
-- account together with the numbers of native tickets, and key is how it was first
-- shown. Both are null in rows of nodes of the version before, until a job gives them
-- a number: see decision 84.
ALTER TABLE requests ADD COLUMN number BIGINT;
ALTER TABLE requests ADD COLUMN key TEXT;
-- The first ticket that was made for a request has its number already. The ticket's
-- address says for which one it was made, because a merge moves tickets.
UPDATE requests SET number = (SELECT min(t.number) FROM tickets t
        WHERE t.account_id = requests.account_id AND t.request_id IN (requests.id, requests.merged_into) AND t.url LIKE '%/requests/' || requests.id)
    WHERE number IS NULL;
UPDATE requests SET key = (SELECT t.key FROM tickets t WHERE t.account_id = requests.account_id AND t.number = requests.number)
    WHERE number IS NOT NULL AND key IS NULL;
CREATE UNIQUE INDEX requests_number ON requests (account_id, number) WHERE number IS NOT NULL;
-- The requests that have no number yet. It is empty soon.
CREATE INDEX requests_unnumbered ON requests (account_id, id) WHERE number IS NULL;
