-- compatible, online
drop index concurrently if exists file_purge_due;
