-- compatible
alter table webhook
  -- Since when events of a type are for it, where that is later than active_since: {"file.hot": "2026-01-01T00:00:00Z"}.
  add column event_since jsonb not null default '{}';
