-- compatible, online
create index concurrently if not exists api_key_in_use_by_name on api_key (account_id, name, id) where revoked_at is null;
