-- compatible
-- Who offers due files of a kind as jobs, until when.
create table dispatch_leader (
  kind text primary key,
  holder uuid not null,
  held_until timestamptz not null
);
