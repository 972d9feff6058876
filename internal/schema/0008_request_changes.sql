-- The changes to a request after its creation: its history, and what an undo
-- needs. before and after have the fields that people change, and the clocks.
-- links has the relations to other requests. moved has what a merge or a split
-- took along, and is null for other changes. undoes is set in the row of an
-- undo, and undone_at in the row that it has undone.
CREATE TABLE request_changes (
    id         @id,
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    request_id BIGINT NOT NULL REFERENCES requests (id),
    at         BIGINT NOT NULL,
    actor      @json NOT NULL,
    source     TEXT NOT NULL,
    action     TEXT NOT NULL,
    before     @json NOT NULL,
    after      @json NOT NULL,
    links      @json NOT NULL,
    moved      @json,
    undoes     BIGINT REFERENCES request_changes (id),
    undone_at  BIGINT
);
CREATE INDEX request_changes_request ON request_changes (account_id, request_id, at, id);

-- A request that was merged into another is on no list. So it is in none of
-- their indexes and costs them nothing.
DROP INDEX requests_created;
DROP INDEX requests_updated;
DROP INDEX requests_shelf_created;
DROP INDEX requests_shelf_updated;
DROP INDEX requests_collection_created;
DROP INDEX requests_collection_updated;
DROP INDEX requests_channel;
DROP INDEX requests_author;
CREATE INDEX requests_created ON requests (account_id, is_listed, created_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_updated ON requests (account_id, is_listed, updated_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_shelf_created ON requests (account_id, shelf, created_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_shelf_updated ON requests (account_id, shelf, updated_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_collection_created ON requests (account_id, collection_id, shelf, created_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_collection_updated ON requests (account_id, collection_id, shelf, updated_at, id) WHERE merged_into IS NULL;
CREATE INDEX requests_channel ON requests (account_id, channel_id, created_at, id) WHERE channel_id IS NOT NULL AND merged_into IS NULL;
CREATE INDEX requests_author ON requests (account_id, author_email_folded, created_at, id) WHERE merged_into IS NULL;

-- Removed messages move along with the others.
DROP INDEX messages_request;
CREATE INDEX messages_request ON messages (account_id, request_id, said_at, id);
