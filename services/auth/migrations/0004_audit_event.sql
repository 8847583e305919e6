-- compatible
-- What was done to an account, by whom and from where (docs/adr/0046-what-was-done-is-kept-by-auth.md). No key leads to
-- what it is about: that may be gone, or another service's.
create table audit_event (
  id uuid primary key,
  account_id uuid not null,
  kind text not null,
  subject_id uuid not null,
  at timestamptz(3) not null default now(),
  method text not null,
  key_id uuid,
  key_prefix text,
  subject text,
  client_address text,
  request_id text,
  details jsonb not null
);
create index audit_event_by_time on audit_event (account_id, at, id);
create index audit_event_by_kind on audit_event (account_id, kind, at, id);
create index audit_event_by_age on audit_event (at);
