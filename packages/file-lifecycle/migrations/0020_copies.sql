-- breaking
-- A file's copies on the storage networks: a row with a life of its own each (docs/file-lifecycle.md §2).
create table copy (
  file_id uuid not null references file (id) on delete cascade,
  network text not null,
  -- <fileId>_<n>; what the network acts on. n grows when a dropped copy is planned again, so none is used twice.
  reference text not null,
  blob_id text,
  ref jsonb not null default '{}',

  state text not null check (state in ('planned', 'stored', 'proved', 'failed', 'dropping', 'dropped')),
  attempt integer not null default 0,
  due_at timestamptz,
  -- Was there and is not any more: it is to be stored again.
  lost_at timestamptz,

  claimed_until timestamptz,
  fencing_token bigint not null default 0,
  unfinished_claims integer not null default 0,

  stored_at timestamptz,
  -- The file's synced_at when it was stored: of all files with a blob id the earliest is found without the others.
  file_synced_at timestamptz,
  proved_at timestamptz,
  checked_at timestamptz,
  checks_ok integer not null default 0,
  checks_failed integer not null default 0,
  -- When the lease that counts now began, and when it is to be renewed.
  leased_at timestamptz,
  lease_expires_at timestamptz,
  renew_due_at timestamptz,
  primary key (file_id, network)
);
create index copy_due on copy (network, state, due_at, file_id) where due_at is not null;
create index copy_renew_due on copy (network, renew_due_at) where renew_due_at is not null;
create index copy_by_blob on copy (blob_id, file_synced_at, file_id) where file_synced_at is not null;
-- Networks that are left and those that are not configured any more.
create index copy_of_network on copy (network, file_id) where state <> 'dropped';

-- Takes a statement back that would have done half of what it should.
create function must(boolean) returns void language plpgsql as $$
begin
  if not coalesce($1, false) then raise exception 'overtaken' using errcode = 'TP001'; end if;
end $$;

-- How far the walk over all files is, for which configuration. No place: it is over.
create table copy_walk (
  singleton boolean primary key default true check (singleton),
  configuration text not null default '',
  after uuid,
  begun_at timestamptz not null default '-infinity',
  held_until timestamptz not null default '-infinity'
);
insert into copy_walk default values;
