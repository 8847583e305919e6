-- compatible, online
create index concurrently if not exists file_event_history on file_event (at, id) where type like 'file.%';
