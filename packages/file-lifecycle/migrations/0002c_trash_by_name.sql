-- compatible, online
create index concurrently if not exists file_in_trash_by_name on file (account_id, name collate "C", id) where deleted_at is not null;
