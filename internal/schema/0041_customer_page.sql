-- What the team writes down about a customer, for itself. member_id is its author.
CREATE TABLE customer_notes (
    id          @id,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    customer_id BIGINT NOT NULL REFERENCES customers (id),
    member_id   BIGINT NOT NULL REFERENCES members (id),
    text        TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE INDEX customer_notes_customer ON customer_notes (account_id, customer_id, created_at, id);

-- The timeline of a customer reads one range of each: see decision 87.
CREATE INDEX request_facts_customer_created ON request_facts (account_id, customer_id, created_at, request_id) WHERE customer_id IS NOT NULL;
CREATE INDEX request_facts_customer_response_late ON request_facts (account_id, customer_id, first_response_late_at, request_id) WHERE first_response_late_at IS NOT NULL;
CREATE INDEX request_facts_customer_resolution_late ON request_facts (account_id, customer_id, resolution_late_at, request_id) WHERE resolution_late_at IS NOT NULL;
CREATE INDEX request_facts_customer_survey ON request_facts (account_id, customer_id, survey_at, request_id) WHERE survey_at IS NOT NULL;
CREATE INDEX requests_customer_solved ON requests (account_id, customer_id, solved_at, id) WHERE solved_at IS NOT NULL AND merged_into IS NULL;
