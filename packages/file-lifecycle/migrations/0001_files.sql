-- compatible
-- Every table of the files context (docs/file-lifecycle.md). Stored times are now(); sizes are bytes.

create table installation (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now()
);
insert into installation default values;

-- Counters of an account change only in the statement that changes the file or vault rows they count.
create table account (
  id uuid primary key,
  created_at timestamptz not null default now(),
  storage_bytes bigint not null default 0,
  hot_bytes bigint not null default 0,
  file_count bigint not null default 0,
  vault_count bigint not null default 0,
  open_uploads bigint not null default 0
);

create table vault (
  id uuid primary key,
  account_id uuid not null references account (id),
  name text not null,
  description text not null default '',
  visibility text not null check (visibility in ('public', 'private')),
  slug text not null,
  is_default boolean not null default false,
  file_count bigint not null default 0,
  storage_bytes bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  unique (account_id, slug)
);
create unique index vault_default on vault (account_id) where is_default;
create index vault_by_creation on vault (account_id, created_at, id);
create index vault_by_name on vault (account_id, name collate "C", id);

create table file (
  id uuid primary key,
  account_id uuid not null references account (id),
  vault_id uuid not null references vault (id),
  name text not null,
  mime_type text not null,
  size_bytes bigint not null check (size_bytes >= 0),
  wrapped_key text,
  encryption_iv text,
  plaintext_size_bytes bigint,
  plaintext_checksum_sha256 text,

  status text not null default 'uploading' check (status in ('uploading', 'hot', 'synced', 'cold', 'error')),
  version integer not null default 1,
  error_code text,
  error text,

  -- upload
  checksum_declared text,
  part_size_bytes bigint,
  hot_key text,
  upload_key text not null,
  upload_id text,
  upload_expires_at timestamptz not null,
  completing_at timestamptz,
  cleanup_after timestamptz,

  -- the network's copy
  network text,
  blob_id text,
  network_ref jsonb,
  lease_expires_at timestamptz,
  sha256 text,

  -- claims: whoever acts outside Postgres for the row; claims only grows, poison counts claims without an outcome
  claimed_until timestamptz,
  claims bigint not null default 0,
  poison integer not null default 0,

  -- work that is due
  sync_attempt integer not null default 0,
  sync_due_at timestamptz,
  hot_until timestamptz,
  evict_attempt integer not null default 0,
  evict_due_at timestamptz,
  evicting_at timestamptz,
  rehydrate_due_at timestamptz,
  deleted_at timestamptz,
  purge_due_at timestamptz,
  purging_at timestamptz,

  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  confirmed_at timestamptz,
  synced_at timestamptz,
  evicted_at timestamptz,
  errored_at timestamptz
);
create index file_of_vault_by_creation on file (vault_id, created_at, id);
create index file_by_blob on file (blob_id, synced_at) where blob_id is not null;
create index file_sync_due on file (sync_due_at) where sync_due_at is not null;
create index file_evict_due on file (evict_due_at) where evict_due_at is not null;
create index file_rehydrate_due on file (rehydrate_due_at) where rehydrate_due_at is not null;
create index file_purge_due on file (purge_due_at) where purge_due_at is not null;
create index file_completing on file (completing_at) where status = 'uploading' and completing_at is not null;
create index file_upload_expiry on file (upload_expires_at) where status = 'uploading';
create index file_cleanup on file (cleanup_after) where cleanup_after is not null;

-- Outbox and timeline in one. Public types (file.*) are published; the rest is timeline only.
create table file_event (
  id uuid primary key,
  file_id uuid not null,
  account_id uuid not null,
  type text not null,
  at timestamptz not null default now(),
  payload jsonb not null,
  request_id text not null,
  traceparent text not null,
  claimed_until timestamptz,
  published_at timestamptz,
  -- grows when the broker lost its streams, so that a re-sent event is not swallowed as a duplicate
  resends integer not null default 0
);
create index file_event_timeline on file_event (file_id, at, id);
create index file_event_unpublished on file_event (at, id) where published_at is null and type like 'file.%';
create index file_event_recent on file_event (at) where type like 'file.%';

-- What the broker acknowledged, to notice a stream that was wiped or rolled back.
create table stream_mark (
  stream text primary key,
  created text not null,
  acked_sequence bigint not null default 0
);

create table idempotency_key (
  account_id uuid not null references account (id),
  key text not null,
  request_digest text not null,
  resource_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
create index idempotency_key_age on idempotency_key (created_at);
