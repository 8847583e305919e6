-- compatible, online
create index concurrently if not exists file_kept_of_account_by_status on file (account_id, status, created_at, id)
  where deleted_at is null and purging_at is null;
