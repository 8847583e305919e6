-- compatible, online
-- The one with the trash stays: the purge of a vault takes all its files, in this order.
create index concurrently if not exists file_kept_of_vault_by_creation on file (vault_id, created_at, id)
  where deleted_at is null and purging_at is null;
