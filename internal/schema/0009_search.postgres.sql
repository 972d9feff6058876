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
-- Table, columns and function have the names that FTS5 gives them on SQLite, so
-- that the statements are the same. The list is kept as text, which compresses
-- better than a tsvector.
CREATE TABLE search_index (
    rowid BIGINT NOT NULL PRIMARY KEY,
    terms TEXT NOT NULL
);

-- In plpgsql for its COST: the planner does not see that reading lists without
-- the index means to fetch and unpack each, and would do that in small tables.
CREATE FUNCTION search_terms (terms TEXT) RETURNS TSVECTOR LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
    BEGIN RETURN array_to_tsvector(string_to_array(terms, ' ')); END
$$;
-- New entries wait in a list until it has 256 KiB, and are then put in place
-- together, which takes less than half the time of each alone. A search reads the
-- list too, which is hardly noticed.
CREATE INDEX search_index_terms ON search_index USING gin (search_terms(terms)) WITH (fastupdate = on, gin_pending_list_limit = 256);

-- FTS5's table is a function too, of a query in its own language: "a" AND ("b" OR "c").
-- No term has quotes, spaces or capitals in it. The planner cannot look into
-- plpgsql, and is told of one row: so it begins with this and looks up each
-- document by its id. It would misjudge how many there are of either, and ask
-- for all of them once for each document.
CREATE FUNCTION search_index (query TEXT) RETURNS TABLE (rowid BIGINT) LANGUAGE plpgsql STABLE ROWS 1 AS $$
    BEGIN RETURN QUERY SELECT i.rowid FROM search_index i
        WHERE search_terms(i.terms) @@ replace(replace(translate(query, '"', ''''), ' AND ', ' & '), ' OR ', ' | ')::tsquery; END
$$;

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
