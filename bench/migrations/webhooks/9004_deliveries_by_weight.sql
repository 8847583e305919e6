-- compatible, online
drop index concurrently if exists delivery_by_weight;
