-- compatible, online
create index concurrently if not exists file_kept_of_vault_by_name on file (vault_id, name collate "C", id)
  where deleted_at is null and purging_at is null;
