-- compatible
-- Events that outlive their file until no broker can lose them any more.
alter table file_event add column if not exists expires_at timestamptz;
