-- The search index follows the events without jobs: see decision 35.
DELETE FROM jobs WHERE kind IN ('search.index', 'search.index-all');
