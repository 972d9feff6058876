-- PostgreSQL's index has no segments.
SELECT 1;
