-- compatible, online
create index concurrently if not exists webhook_ready on webhook (greatest(next_due_at, held_until))
  where active and deleted_at is null and next_due_at is not null;
