-- compatible, online
-- Lists leave out what was thrown away. Where that is much, each page would walk past all of it until it is purged.
create index concurrently if not exists file_kept_of_account_by_creation on file (account_id, created_at, id)
  where deleted_at is null and purging_at is null;
