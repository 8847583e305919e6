-- compatible
-- Trash and purge (docs/file-lifecycle.md §7).

-- A file's purge_due_at is the end of its time in the trash and, once purging_at is set, when the next pass is due.
alter table vault add column purge_due_at timestamptz, add column purging_at timestamptz;
create index vault_purge_due on vault (purge_due_at) where purge_due_at is not null;
create index file_in_trash_by_creation on file (account_id, created_at, id) where deleted_at is not null;
create index file_in_trash_by_name on file (account_id, name collate "C", id) where deleted_at is not null;

-- Events that outlive their file until no broker can lose them any more.
alter table file_event add column expires_at timestamptz;
create index file_event_expiring on file_event (expires_at) where expires_at is not null;
