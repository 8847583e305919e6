-- compatible
-- What was done to webhooks, until auth has kept it (docs/adr/0046-what-was-done-is-kept-by-auth.md).
create table audit_outbox (
  id uuid primary key,
  at timestamptz(3) not null default now(),
  record jsonb not null,
  claimed_until timestamptz,
  -- Auth cannot read it: kept to be looked at.
  failed_at timestamptz
);
create index audit_outbox_waiting on audit_outbox (at, id) where failed_at is null;
