-- Search: what is known of each document, and one index over all of them.
--
-- title, public and private are not the texts but their folded words, with a
-- space before, between and after. Phrases and rank are read from them.
-- revision 1 is a document's first; digest tells whether it has changed.
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

-- Of each document, by search_documents.id, the list of terms that Go has made.
-- The tokenizer only splits the list at its spaces and quotes. Texts and
-- positions are not kept: search_documents has them.
CREATE VIRTUAL TABLE search_index USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '=+^~#_!'"
);

-- How far the index of an account's requests is: the last event it has followed,
-- and while all requests are put anew, from the newest to the oldest, the last of
-- them. version is that of the index's terms which this has been for.
CREATE TABLE search_progress (
    account_id  BIGINT NOT NULL PRIMARY KEY REFERENCES accounts (id),
    version     BIGINT NOT NULL,
    seq         BIGINT NOT NULL,
    walk_listed BOOLEAN,
    walk_at     BIGINT,
    walk_id     BIGINT
);
