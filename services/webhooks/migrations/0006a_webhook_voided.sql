-- compatible, online
create index concurrently if not exists webhook_voided on webhook (voided_at) where voided_at is not null;
