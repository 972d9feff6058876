-- An idle process merges the segments of the search index; see decision 49. Two of a
-- level are enough.
INSERT INTO search_index (search_index, rank) VALUES ('usermerge', 2);
