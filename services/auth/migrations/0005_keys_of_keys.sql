-- compatible
-- The key that a key was made with (docs/adr/0060-a-key-made-with-a-key-ends-with-it.md); null where a login made it.
alter table api_key add column parent_id uuid;
