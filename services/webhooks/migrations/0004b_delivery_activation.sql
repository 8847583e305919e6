-- compatible
alter table delivery
  -- The webhook's number when this was made, or asked for again.
  add column activation integer not null default 0;
