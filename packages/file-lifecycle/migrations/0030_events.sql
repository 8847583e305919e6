-- breaking
-- Outbox and history in one, of files and vaults (docs/adr/0045-one-outbox-for-all-news.md). No release has had the table
-- that this one replaces, so nothing is taken over from it.
create table event (
  id uuid primary key,
  subject_kind text not null check (subject_kind in ('file', 'vault', 'key', 'webhook', 'account')),
  subject_id uuid not null,
  account_id uuid not null,
  type text not null,
  -- Goes out; the rest is history alone.
  is_public boolean not null,
  at timestamptz not null default now(),
  payload jsonb not null,
  request_id text not null,
  traceparent text not null,
  claimed_until timestamptz,
  published_at timestamptz,
  -- Breaks its contract: never sent, kept to be looked at.
  failed_at timestamptz,
  failure text,
  -- Set where it has to outlive its subject.
  expires_at timestamptz,
  -- A history that was sent again names its events anew.
  resends integer not null default 0
);
create index event_timeline on event (subject_id, at, id);
create index event_unpublished on event (at, id) where is_public and published_at is null and failed_at is null;
create index event_history on event (at, id) where is_public;
create index event_failed on event (at, id) where failed_at is not null;
create index event_expiring on event (expires_at) where expires_at is not null;

drop table file_event;
