-- compatible, online
-- Lists of keys without those that were revoked, however many.
create index concurrently if not exists api_key_in_use_by_creation on api_key (account_id, created_at, id) where revoked_at is null;
