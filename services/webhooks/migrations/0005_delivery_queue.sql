-- compatible, online
create index concurrently if not exists delivery_queue on delivery (webhook_id, activation, (attempts > 0), next_attempt_at)
  where next_attempt_at is not null;
