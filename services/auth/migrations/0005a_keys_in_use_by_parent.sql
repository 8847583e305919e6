-- compatible, online
-- What a revocation goes along, however many were revoked before.
create index concurrently if not exists api_key_in_use_by_parent on api_key (parent_id) where parent_id is not null and revoked_at is null;
