-- compatible
alter table delivery add column weight integer not null default 1;
