-- compatible, online
create index concurrently if not exists delivery_by_weight on delivery (webhook_id, weight, id);
