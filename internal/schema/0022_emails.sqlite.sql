-- Two emails are the same if they differ only in the case of A to Z. Unicode
-- also folds ı to i and ſ to s. Emails with letters outside ASCII were folded
-- by Unicode's rules, so they are folded again. lower() on SQLite changes only
-- ASCII.
UPDATE members SET email_folded = lower(email) WHERE octet_length(email) <> length(email);
UPDATE users SET email_folded = lower(email) WHERE octet_length(email) <> length(email);
UPDATE customer_portal_users SET email_folded = lower(email) WHERE octet_length(email) <> length(email);
UPDATE requests SET author_email_folded = lower(author_email) WHERE octet_length(author_email) <> length(author_email);
UPDATE requests SET newest_by = '@' || (SELECT lower(m.author_email) FROM messages m WHERE m.account_id = requests.account_id AND m.id = requests.newest_id)
    WHERE newest_by LIKE '@%' AND EXISTS (SELECT 1 FROM messages m
        WHERE m.account_id = requests.account_id AND m.id = requests.newest_id AND octet_length(m.author_email) <> length(m.author_email));
