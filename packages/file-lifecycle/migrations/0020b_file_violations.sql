-- breaking, online
-- Files whose row breaks a promise: empty, as long as none is broken.
create index concurrently if not exists file_broken on file (status)
  where ((status in ('synced', 'cold') and sha256 is null) or (status in ('hot', 'synced') and hot_key is null))
    and purging_at is null;
