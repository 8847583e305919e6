-- compatible, online
drop index concurrently if exists delivery_pending;
