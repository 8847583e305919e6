-- compatible, online
-- What begins a purge and what carries one on are due by the same column; where much is settling, either would walk past all of the other.
create index concurrently if not exists file_trash_due on file (purge_due_at)
  where deleted_at is not null and purging_at is null;
