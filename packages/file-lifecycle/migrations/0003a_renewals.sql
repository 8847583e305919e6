-- compatible, batches
-- Leases from before their renewal was known.
with batch as (
  select id, synced_at, lease_expires_at, leased_at from file
  where id > coalesce($1, '00000000-0000-0000-0000-000000000000')::uuid
  order by id limit 500
), renewed as (
  update file set leased_at = batch.synced_at,
    renew_due_at = batch.lease_expires_at
      - greatest(interval '14 days', (batch.lease_expires_at - batch.synced_at) / 4)
  from batch
  where file.id = batch.id and batch.lease_expires_at is not null and file.leased_at is null
)
select id as last from batch order by id desc limit 1;
