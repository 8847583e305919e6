-- compatible, online
-- Webhooks that were switched off for their receiver: few, and counted all the time.
create index concurrently if not exists webhook_disabled on webhook (id)
  where disabled_reason is not null and deleted_at is null;
