-- compatible
create table delivery (
  id uuid primary key,
  webhook_id uuid not null references webhook on delete cascade,
  event_id uuid not null,
  event text not null,
  -- Exactly what is sent, on every attempt.
  body text not null,
  is_test boolean not null default false,
  traceparent text,
  attempts integer not null default 0,
  -- Null: nothing more will be sent.
  next_attempt_at timestamptz(3) default now(),
  -- Under way until then; after that the sender is taken for dead.
  claimed_until timestamptz(3),
  claimed_at timestamptz(3),
  success boolean not null default false,
  -- Of the last attempt; 0 when nothing answered.
  status_code integer not null default 0,
  error text,
  duration_ms integer,
  created_at timestamptz(3) not null default now(),
  done_at timestamptz(3),
  unique (event_id, webhook_id)
);

create index delivery_pending on delivery (webhook_id, (attempts > 0), next_attempt_at) where next_attempt_at is not null;
create index delivery_under_way on delivery (webhook_id, claimed_until) where claimed_until is not null;
create index delivery_by_webhook on delivery (webhook_id, created_at, id);

-- Written before the request is sent, so that a crash leaves evidence.
create table attempt (
  delivery_id uuid not null references delivery on delete cascade,
  attempt integer not null,
  state text not null check (state in ('sending', 'succeeded', 'failed', 'unknown')),
  started_at timestamptz(3) not null default now(),
  status_code integer not null default 0,
  error text,
  duration_ms integer,
  -- First 4 KiB.
  response_body text,
  primary key (delivery_id, attempt)
);
