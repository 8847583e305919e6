-- compatible, online
create index concurrently if not exists file_in_trash_by_creation on file (account_id, created_at, id) where deleted_at is not null;
