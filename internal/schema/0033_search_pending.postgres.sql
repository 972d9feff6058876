-- The list of new entries holds some fifty documents instead of ten before they are
-- merged. Each term's list of documents is then written once for five times as many
-- documents, which was most of what a change of a request cost (decision 74).
ALTER INDEX search_index_terms SET (gin_pending_list_limit = 1024);
