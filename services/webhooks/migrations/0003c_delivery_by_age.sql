-- compatible, online
create index concurrently if not exists delivery_by_age on delivery (created_at);
