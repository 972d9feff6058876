-- Search: what is known of each document, and one index over all of them.
--
-- title, public and private are not the texts but their folded words, with a
-- space before, between and after. Phrases and rank are computed from them.
-- revision 1 is a document's first revision. digest shows whether it has
-- changed.
CREATE TABLE search_documents (
    id          @id,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    document_id BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    revision    BIGINT NOT NULL,
    digest      @blob NOT NULL,
    title       TEXT NOT NULL,
    public      TEXT NOT NULL,
    private     TEXT NOT NULL
);
CREATE UNIQUE INDEX search_documents_document ON search_documents (account_id, document_id);
CREATE INDEX search_documents_at ON search_documents (account_id, at, document_id);

-- The list of terms of each document, by search_documents.id. Go computes the
-- terms. The tokenizer only splits the list at its spaces and quotes. Texts and
-- positions are not stored, because search_documents has them.
CREATE VIRTUAL TABLE search_index USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '=+^~#_!'"
);

-- How far the index of an account's requests is: the last event that it has
-- followed and, while all requests are being indexed again, from the newest to
-- the oldest, the last of these requests. version is the version of the index's
-- terms that this progress is for.
CREATE TABLE search_progress (
    account_id  BIGINT NOT NULL PRIMARY KEY REFERENCES accounts (id),
    version     BIGINT NOT NULL,
    seq         BIGINT NOT NULL,
    walk_listed BOOLEAN,
    walk_at     BIGINT,
    walk_id     BIGINT
);
