-- Segments of the search index are merged by the indexer in transactions of their
-- own, and not by whoever puts a document: see decision 54.
INSERT INTO search_index (search_index, rank) VALUES ('automerge', 0);
INSERT INTO search_index (search_index, rank) VALUES ('crisismerge', 500);
