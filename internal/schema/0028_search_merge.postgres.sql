-- PostgreSQL's index has no segments: autovacuum empties its list of pending entries.
SELECT 1;
