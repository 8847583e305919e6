-- breaking
alter table file
  drop column if exists network,
  drop column if exists blob_id,
  drop column if exists network_ref,
  drop column if exists lease_expires_at,
  drop column if exists leased_at,
  drop column if exists renew_due_at,
  drop column if exists sync_attempt,
  drop column if exists sync_due_at,
  drop column if exists claims,
  drop column if exists poison,
  add column if not exists fencing_token bigint not null default 0,
  add column if not exists unfinished_claims integer not null default 0;
