-- compatible
create table webhook (
  id uuid primary key,
  account_id uuid not null,
  url text not null,
  events text[] not null,
  active boolean not null default true,
  -- Events before this are not for it. Truncated like the events' own times, so none of the same millisecond is missed.
  active_since timestamptz(3) not null default date_trunc('milliseconds', now()),
  disabled_reason text,
  -- Failed attempts since the last success, and when the first of them was.
  consecutive_failures integer not null default 0,
  failing_since timestamptz(3),
  secret_encrypted text not null,
  -- The secret before the last rotation, until its overlap ends.
  previous_secret_encrypted text,
  previous_secret_until timestamptz(3),
  -- How many deliveries may be under way at once, over all replicas, and what makes that number grow.
  slots integer not null default 4,
  quick_successes integer not null default 0,
  -- While the circuit is open nothing is sent but probes.
  circuit_open_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- Being deleted: invisible, sends nothing; the row goes when nothing is under way any more.
  deleted_at timestamptz(3)
);

create index webhook_by_account on webhook (account_id, created_at, id);
