-- The words of an account's documents that are longer than the beginnings among their
-- terms: see decision 78. A word is bytes, because each engine sorts text differently.
-- It begins with its kind, as terms do: public or private. Or it begins with a question
-- mark: then a document lost it, and the indexer has to see whether another has it.
CREATE TABLE search_words (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    word       @blob NOT NULL,
    PRIMARY KEY (account_id, word)
);
