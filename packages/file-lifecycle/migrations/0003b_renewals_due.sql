-- compatible, online
create index concurrently if not exists file_renew_due on file (renew_due_at) where renew_due_at is not null;
