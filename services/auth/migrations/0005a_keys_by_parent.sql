-- compatible, online
create index concurrently if not exists api_key_by_parent on api_key (parent_id) where parent_id is not null;
