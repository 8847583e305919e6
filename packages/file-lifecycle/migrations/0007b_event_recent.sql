-- compatible, online
drop index concurrently if exists file_event_recent;
