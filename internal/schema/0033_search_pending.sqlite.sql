-- SQLite's index has no list of pending entries.
SELECT 1;
