-- compatible, online
create index concurrently if not exists file_event_expiring on file_event (expires_at) where expires_at is not null;
