-- compatible
-- The secrets before the last rotations: they sign too, until their overlap ends.
create table previous_secret (
  webhook_id uuid not null references webhook on delete cascade,
  secret_encrypted text not null,
  valid_until timestamptz(3) not null,
  primary key (webhook_id, secret_encrypted)
);

alter table webhook
  -- Nothing has ever written these; there can be more than one such secret.
  drop column previous_secret_encrypted,
  drop column previous_secret_until,
  add column consecutive_timeouts integer not null default 0,
  -- Attempts and failures since the first failure of the last minutes, which the breaker judges.
  add column recent_since timestamptz(3),
  add column recent_attempts integer not null default 0,
  add column recent_failures integer not null default 0,
  -- Probes that failed since the circuit opened.
  add column failed_probes integer not null default 0,
  -- Up to when redeliveries are planned: they are spread over time.
  add column redeliveries_until timestamptz(3);
