-- compatible
-- When the configuration that is walked by was seen first: walks follow each other the faster, the newer it is.
alter table copy_walk add column since timestamptz not null default now();
