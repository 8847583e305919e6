-- compatible
-- Copies brought back to the hot tier, and the renewal of leases (docs/file-lifecycle.md §8).

-- Named before anything exists under it; becomes hot_key once the bytes are there, so hot_key always means bytes.
alter table file add column rehydrate_key text;
alter table file add column rehydrate_attempt integer not null default 0;

-- When the lease that counts now began, and when it is to be renewed.
alter table file add column leased_at timestamptz;
alter table file add column renew_due_at timestamptz;
update file set leased_at = synced_at,
  renew_due_at = lease_expires_at - greatest(interval '14 days', (lease_expires_at - synced_at) / 4)
where lease_expires_at is not null;
drop index file_lease;
create index file_renew_due on file (renew_due_at) where renew_due_at is not null;
