-- compatible, online
-- Lists by type, whatever the case it was declared in.
create index concurrently if not exists file_kept_of_account_by_type on file (
  account_id, (lower(mime_type collate "C")), created_at, id
) where deleted_at is null and purging_at is null;
