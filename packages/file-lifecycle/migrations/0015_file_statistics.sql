-- compatible
-- What operators watch of all files together: found out by one process for all (file-statistics.ts).
create table file_statistics (
  singleton boolean primary key default true check (singleton),
  figures jsonb not null default '{}',
  taken_at timestamptz,
  due_at timestamptz not null default now()
);
insert into file_statistics default values;
