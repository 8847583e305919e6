-- compatible
-- A session is a key that a sign-in of the owner created. It expires after hours and is no parent of other keys.
alter table api_key add column is_session boolean not null default false;
