-- compatible
-- Every table of schema webhooks: who is told, what they were told, and how that went.

create table webhook (
  id uuid primary key,
  account_id uuid not null,
  url text not null,
  events text[] not null,
  secret_encrypted text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- Being deleted: invisible, sends nothing; the row goes when nothing is under way any more.
  deleted_at timestamptz(3),

  active boolean not null default true,
  disabled_reason text,
  -- Events before this are not for it. Truncated like the events' own times, so none of the same millisecond is missed.
  active_since timestamptz(3) not null default date_trunc('milliseconds', now()),
  -- Since when events of a type are for it, where that is later than active_since: {"file.hot": "2026-01-01T00:00:00Z"}.
  event_since jsonb not null default '{}',
  -- Counts how often it was switched off. Pending deliveries of a lower number are void, from that moment on.
  activation integer not null default 0,
  -- Set while there may be void deliveries, or those of a deleted webhook, to be cleared away: the oldest first.
  voided_at timestamptz(3),

  -- Failed attempts since the last success, and when the first of them was.
  consecutive_failures integer not null default 0,
  consecutive_timeouts integer not null default 0,
  failing_since timestamptz(3),
  -- Attempts and failures since the first failure of the last minutes, which the breaker judges.
  recent_since timestamptz(3),
  recent_attempts integer not null default 0,
  recent_failures integer not null default 0,
  -- While the circuit is open nothing is sent but probes; how many of them failed since it opened.
  circuit_open_until timestamptz(3),
  failed_probes integer not null default 0,

  -- How many deliveries may be under way at once, over all replicas, and what makes that number grow.
  slots integer not null default 4,
  quick_successes integer not null default 0,
  -- Up to when redeliveries are planned: they are spread over time.
  redeliveries_until timestamptz(3),
  -- Claims look at a webhook when both have passed: something is due (null: nothing is), and nothing holds it up.
  -- The first is never later than what is due.
  next_due_at timestamptz(3),
  held_until timestamptz(3),
  -- What holds it up is that its account has enough under way.
  is_held_by_account boolean not null default false,
  -- We could not send, and try no sooner: not the receiver's fault.
  paused_until timestamptz(3)
);
-- Lists of an account's webhooks, and for whom an event is.
create index webhook_by_account on webhook (account_id, created_at, id);
-- Claims: which have something to send, and since when.
create index webhook_ready on webhook (greatest(next_due_at, held_until))
  where active and deleted_at is null and next_due_at is not null;
-- What is to be cleared away.
create index webhook_voided on webhook (voided_at) where voided_at is not null;
-- Those that were switched off for their receiver: few, and counted all the time.
create index webhook_disabled on webhook (id) where disabled_reason is not null and deleted_at is null;

-- The secrets before the last rotations: they sign too, until their overlap ends.
create table previous_secret (
  webhook_id uuid not null references webhook on delete cascade,
  secret_encrypted text not null,
  valid_until timestamptz(3) not null,
  primary key (webhook_id, secret_encrypted)
);

create table delivery (
  id uuid primary key,
  webhook_id uuid not null references webhook on delete cascade,
  event_id uuid not null,
  event text not null,
  -- Exactly what is sent, on every attempt.
  body text not null,
  is_test boolean not null default false,
  traceparent text,
  -- The webhook's number when this was made, or asked for again.
  activation integer not null,
  attempts integer not null default 0,
  -- Null: nothing more will be sent.
  next_attempt_at timestamptz(3) default now(),
  -- The next attempt, or the one under way, was asked for by hand.
  is_redelivery boolean not null default false,
  -- When the schedule goes on if that attempt fails; null when the schedule was over.
  resume_at timestamptz(3),
  -- How many of the attempts were asked for by hand: they take none from the schedule.
  redeliveries integer not null default 0,
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
  -- The transaction that made it, by which those who follow a webhook know what they have seen.
  written_by xid8 not null default pg_current_xact_id(),
  -- An event is delivered to a webhook once, however often the fan-out hears of it.
  unique (event_id, webhook_id)
);
-- What a claim takes of a webhook: first attempts before others, void ones (of a lower activation) apart.
create index delivery_queue on delivery (webhook_id, activation, (attempts > 0), next_attempt_at)
  where next_attempt_at is not null;
-- How many of a webhook are under way, and whose sender died.
create index delivery_under_way on delivery (webhook_id, claimed_until) where claimed_until is not null;
-- Lists of a webhook's deliveries.
create index delivery_by_webhook on delivery (webhook_id, created_at, id);
-- Who follows a webhook's deliveries (feed/read-feed.ts).
create index delivery_feed on delivery (webhook_id, written_by, id);
-- How many tests a webhook was sent of late.
create index delivery_tests on delivery (webhook_id, created_at) where is_test;
-- What was given up, of all webhooks (exhausted-deliveries.ts): nothing else is in it, so it is read a page at a time.
create index delivery_given_up on delivery (done_at, id)
  where not success and not is_test and attempts > 0 and done_at is not null
    and error is distinct from 'Skipped because the webhook was switched off';
-- What is older than deliveries are kept, to be removed.
create index delivery_by_age on delivery (created_at);

-- Who makes a delivery need not say which activation it is of: that of the webhook, now.
create function set_delivery_activation() returns trigger language plpgsql as $$
begin
  select activation into new.activation from webhook where id = new.webhook_id;
  return new;
end $$;

create trigger delivery_activation before insert on delivery
  for each row when (new.activation is null) execute function set_delivery_activation();

-- The locks, taken in one order, make a claim that finds nothing due and a delivery that is just being made wait for
-- each other: none is overlooked. A webhook that is looked at anyway is not written.
create function note_due_deliveries() returns trigger language plpgsql as $$
declare
  wanted uuid[] := array(select distinct webhook_id from made where next_attempt_at is not null);
begin
  perform from webhook where id = any(wanted) order by id for no key update;
  update webhook set next_due_at = now() where id = any(wanted) and (next_due_at is null or next_due_at > now());
  -- Read before the webhook was switched off, made after that: void from the beginning.
  update webhook set voided_at = now() where id = any(wanted) and voided_at is null
    and exists (select from made where made.webhook_id = webhook.id and made.activation < webhook.activation);
  return null;
end $$;

create trigger delivery_due after insert on delivery
  referencing new table as made for each statement execute function note_due_deliveries();

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

-- What was done to webhooks, until auth has kept it (docs/adr/0046-what-was-done-is-kept-by-auth.md).
create table audit_outbox (
  id uuid primary key,
  at timestamptz(3) not null default now(),
  record jsonb not null,
  claimed_until timestamptz,
  -- Auth cannot read it: kept to be looked at.
  failed_at timestamptz
);
-- What is to be handed to auth, the oldest first.
create index audit_outbox_waiting on audit_outbox (at, id) where failed_at is null;

-- What operators did by HTTP, and who of them (docs/adr/0099-deliveries-that-were-given-up-are-webhooks-to-tell.md).
create table operator_event (
  id uuid primary key,
  at timestamptz not null default now(),
  kind text not null,
  account_id uuid not null,
  subject text,
  client_address text,
  request_id text not null,
  details jsonb not null
);
-- GET /api/operator/webhooks/events, newest first; what is older than the log is kept, to be removed.
create index operator_event_by_time on operator_event (at, id);

-- Encrypts the cursors of lists (service-kit/http/list-cursor.ts) for all processes of the service.
create table cursor_key (
  singleton boolean primary key default true check (singleton),
  key bytea not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
insert into cursor_key default values;
