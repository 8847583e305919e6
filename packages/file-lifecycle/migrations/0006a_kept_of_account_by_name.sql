-- compatible, online
create index concurrently if not exists file_kept_of_account_by_name on file (account_id, name collate "C", id)
  where deleted_at is null and purging_at is null;
