-- A form for creating tickets. An account has so few that filters need no index
-- of their own.
CREATE TABLE ticket_forms (
    id               @id,
    account_id       BIGINT NOT NULL REFERENCES accounts (id),
    name             TEXT NOT NULL,
    description      TEXT,
    is_enabled       BOOLEAN NOT NULL,
    integration_type TEXT NOT NULL,
    creates          BOOLEAN NOT NULL,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL
);
CREATE INDEX ticket_forms_created ON ticket_forms (account_id, created_at, id);

-- The fields that a form asks for. field_id is set if the key is the id of a
-- custom field. The rows of removed custom fields stay until the form is
-- changed, but are not shown.
CREATE TABLE ticket_form_fields (
    account_id                BIGINT NOT NULL REFERENCES accounts (id),
    form_id                   BIGINT NOT NULL REFERENCES ticket_forms (id),
    n                         BIGINT NOT NULL,
    key                       TEXT NOT NULL,
    field_id                  BIGINT REFERENCES custom_fields (id),
    label                     TEXT NOT NULL,
    audience                  TEXT NOT NULL CHECK (audience IN ('all', 'responders')),
    is_hidden                 BOOLEAN NOT NULL,
    required_by_responder     BOOLEAN NOT NULL,
    required_by_non_responder BOOLEAN NOT NULL,
    PRIMARY KEY (account_id, form_id, n)
);

-- The form that a ticket was created with.
ALTER TABLE tickets ADD COLUMN form_id BIGINT REFERENCES ticket_forms (id);
