-- compatible
-- Copies brought back to the hot tier, and the renewal of leases (docs/file-lifecycle.md §8).
alter table file
  -- Named before anything exists under it; becomes hot_key once the bytes are there, so hot_key always means bytes.
  add column if not exists rehydrate_key text,
  add column if not exists rehydrate_attempt integer not null default 0,
  -- When the lease that counts now began, and when it is to be renewed.
  add column if not exists leased_at timestamptz,
  add column if not exists renew_due_at timestamptz;
