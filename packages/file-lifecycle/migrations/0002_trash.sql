-- compatible
-- Trash and purge (docs/file-lifecycle.md §7).
-- A file's purge_due_at is the end of its time in the trash and, once purging_at is set, when the next pass is due.
alter table vault
  add column if not exists purge_due_at timestamptz,
  add column if not exists purging_at timestamptz;
