-- A removed field keeps the row, so that history can name it, but its values
-- are no longer shown. Columns that apply to one type only are null for the
-- others.
CREATE TABLE custom_fields (
    id             @id,
    account_id     BIGINT NOT NULL REFERENCES accounts (id),
    entity_type    TEXT NOT NULL CHECK (entity_type IN ('request', 'customer')),
    name           TEXT NOT NULL,
    description    TEXT,
    type           TEXT NOT NULL CHECK (type IN ('select', 'multi_select', 'text', 'date', 'number', 'user_select', 'attachment')),
    version        BIGINT NOT NULL,
    last_option_id BIGINT NOT NULL,
    max_length     BIGINT NOT NULL,
    single_line    BOOLEAN,
    default_value  @json,
    ai_prompt      TEXT,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    removed_at     BIGINT
);
CREATE INDEX custom_fields_entity ON custom_fields (account_id, entity_type, id) WHERE removed_at IS NULL;

-- A removed option keeps the row, for the values that use it. option_id counts
-- within its field. n is the display order.
CREATE TABLE custom_field_options (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    field_id   BIGINT NOT NULL REFERENCES custom_fields (id),
    option_id  BIGINT NOT NULL,
    n          BIGINT NOT NULL,
    value      TEXT NOT NULL,
    removed_at BIGINT,
    PRIMARY KEY (account_id, field_id, option_id)
);

-- The values of requests and customers. value is what people see. The other
-- columns are for filters: one of them is not null, depending on the field's
-- type, and all are null for fields with options. value_day is a midnight in
-- UTC.
CREATE TABLE custom_field_values (
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    entity_type  TEXT NOT NULL CHECK (entity_type IN ('request', 'customer')),
    entity_id    BIGINT NOT NULL,
    field_id     BIGINT NOT NULL REFERENCES custom_fields (id),
    value        TEXT NOT NULL,
    value_length BIGINT,
    value_number DOUBLE PRECISION,
    value_day    BIGINT,
    value_user   TEXT,
    PRIMARY KEY (account_id, entity_type, entity_id, field_id)
);
CREATE INDEX custom_field_values_length ON custom_field_values (account_id, field_id, value_length) WHERE value_length IS NOT NULL;
CREATE INDEX custom_field_values_number ON custom_field_values (account_id, field_id, value_number, entity_id) WHERE value_number IS NOT NULL;
CREATE INDEX custom_field_values_day ON custom_field_values (account_id, field_id, value_day, entity_id) WHERE value_day IS NOT NULL;
CREATE INDEX custom_field_values_user ON custom_field_values (account_id, field_id, value_user, entity_id) WHERE value_user IS NOT NULL;

-- The options that a value refers to. n is the order in which they were given.
CREATE TABLE custom_field_choices (
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    entity_type TEXT NOT NULL CHECK (entity_type IN ('request', 'customer')),
    entity_id   BIGINT NOT NULL,
    field_id    BIGINT NOT NULL REFERENCES custom_fields (id),
    option_id   BIGINT NOT NULL,
    n           BIGINT NOT NULL,
    PRIMARY KEY (account_id, entity_type, entity_id, field_id, option_id)
);
CREATE INDEX custom_field_choices_option ON custom_field_choices (account_id, field_id, option_id, entity_id);

CREATE TABLE customers (
    id                 @id,
    account_id         BIGINT NOT NULL REFERENCES accounts (id),
    name               TEXT NOT NULL,
    owner              TEXT,
    revisit            BOOLEAN NOT NULL,
    portal_enabled     BOOLEAN NOT NULL,
    portal_for_all     BOOLEAN NOT NULL,
    collection_id      BIGINT REFERENCES collections (id),
    external_system    TEXT CHECK (external_system IN ('hubspot', 'salesforce')),
    external_entity_id TEXT,
    external_deal_id   TEXT,
    version            BIGINT NOT NULL,
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL
);
CREATE INDEX customers_created ON customers (account_id, created_at, id);
CREATE INDEX customers_collection ON customers (account_id, collection_id, created_at, id) WHERE collection_id IS NOT NULL;
CREATE INDEX customers_external ON customers (account_id, external_system, external_entity_id, created_at, id) WHERE external_entity_id IS NOT NULL;

-- Lists of a customer. n is the order in which each was given. Several
-- customers may share a domain, but a channel belongs to one customer.
CREATE TABLE customer_domains (
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    customer_id BIGINT NOT NULL REFERENCES customers (id),
    n           BIGINT NOT NULL,
    domain      TEXT NOT NULL,
    PRIMARY KEY (account_id, customer_id, domain)
);
CREATE INDEX customer_domains_domain ON customer_domains (account_id, domain, customer_id);

CREATE TABLE customer_channels (
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    channel_id  TEXT NOT NULL,
    customer_id BIGINT NOT NULL REFERENCES customers (id),
    n           BIGINT NOT NULL,
    PRIMARY KEY (account_id, channel_id)
);
CREATE INDEX customer_channels_customer ON customer_channels (account_id, customer_id, n);

CREATE TABLE customer_portal_users (
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    customer_id  BIGINT NOT NULL REFERENCES customers (id),
    n            BIGINT NOT NULL,
    email        TEXT NOT NULL,
    email_folded TEXT NOT NULL,
    role         TEXT NOT NULL CHECK (role IN ('ADMIN', 'USER')),
    PRIMARY KEY (account_id, customer_id, email_folded)
);
CREATE INDEX customer_portal_users_email ON customer_portal_users (account_id, email_folded, customer_id);
