-- compatible, online
create index concurrently if not exists file_purging_due on file (purge_due_at) where purging_at is not null;
