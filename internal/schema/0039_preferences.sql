-- What a member likes on every device. A member who has changed nothing has no row.
CREATE TABLE member_preferences (
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    member_id   BIGINT NOT NULL REFERENCES members (id),
    preferences @json NOT NULL,
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (account_id, member_id)
);
