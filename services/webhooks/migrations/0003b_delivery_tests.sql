-- compatible, online
create index concurrently if not exists delivery_tests on delivery (webhook_id, created_at) where is_test;
