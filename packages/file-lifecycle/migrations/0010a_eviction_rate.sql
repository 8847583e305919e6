-- compatible

-- Hot copies that all eviction workers together were allowed to drop: how many in which second of the last minute.
create table eviction_rate (
  singleton boolean primary key default true check (singleton),
  taken jsonb not null default '{}',
  -- the answer to whoever asked last
  granted integer not null default 0
);
insert into eviction_rate default values;
