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
-- terms. Table, columns and function have the names that FTS5 gives them on
-- SQLite, so that the statements are the same. The list is stored as text,
-- because text compresses better than a tsvector.
CREATE TABLE search_index (
    rowid BIGINT NOT NULL PRIMARY KEY,
    terms TEXT NOT NULL
);

-- In plpgsql because of its COST. The planner does not know that reading lists
-- without the index means fetching and unpacking each one, and would do that in
-- small tables.
CREATE FUNCTION search_terms (terms TEXT) RETURNS TSVECTOR LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
    BEGIN RETURN array_to_tsvector(string_to_array(terms, ' ')); END
$$;
-- New entries wait in a list until it has 256 KiB. Then they are merged
-- together, which takes less than half the time of merging each alone. A search
-- reads the list too, which is hardly noticeable.
CREATE INDEX search_index_terms ON search_index USING gin (search_terms(terms)) WITH (fastupdate = on, gin_pending_list_limit = 256);

-- The table of FTS5 is also a function, of a query in its own language: "a" AND
-- ("b" OR "c"). No term has quotes, spaces or capitals. The planner cannot look
-- into plpgsql, and ROWS 1 tells it to expect one row. So it begins with this
-- function and looks up each document by its id. Otherwise it would misjudge
-- both row counts, and search once for each document.
CREATE FUNCTION search_index (query TEXT) RETURNS TABLE (rowid BIGINT) LANGUAGE plpgsql STABLE ROWS 1 AS $$
    BEGIN RETURN QUERY SELECT i.rowid FROM search_index i
        WHERE search_terms(i.terms) @@ replace(replace(translate(query, '"', ''''), ' AND ', ' & '), ' OR ', ' | ')::tsquery; END
$$;

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
