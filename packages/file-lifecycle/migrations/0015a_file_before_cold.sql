-- compatible, online
-- Files that are still on their way, by status and by when they came into it; most files are cold and not in here.
create index concurrently if not exists file_before_cold on file (status, (coalesce(errored_at, synced_at, confirmed_at, created_at)))
  where status <> 'cold' and deleted_at is null and purging_at is null;
