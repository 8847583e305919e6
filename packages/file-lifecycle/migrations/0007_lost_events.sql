-- compatible
-- A stream that lost events, and what is sent again then (docs/file-lifecycle.md §9).

-- How often the stream lost events. What a relay knows of the stream counts only for the same number.
alter table stream_mark add column losses integer not null default 0;

-- The highest sequence each relay had acknowledged, and the message that has it. A row of its own, so none waits for another.
create table stream_ack (
  relay uuid primary key,
  stream text not null,
  losses integer not null,
  sequence bigint not null,
  msg_id text not null,
  at timestamptz not null default now()
) with (fillfactor = 50);

-- History on its way out again, newest first: what is left lies after since and before the cursor.
create table stream_resend (
  stream text primary key,
  losses integer not null,
  since timestamptz not null,
  cursor_at timestamptz not null,
  cursor_id uuid not null default 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  resent bigint not null default 0,
  claimed_until timestamptz,
  -- grows with every claim: the fencing number
  claims bigint not null default 0
);
