-- compatible
alter table webhook
  -- Counts how often it was switched off. Pending deliveries of a lower number are void, from that moment on.
  add column activation integer not null default 0,
  -- Set while there may be void deliveries, or those of a deleted webhook, to be cleared away: the oldest first.
  add column voided_at timestamptz(3),
  -- Claims look at a webhook when both have passed: something is due (null: nothing is), and nothing holds it up.
  -- The first is never later than what is due. What is there when this column comes is looked at once.
  add column next_due_at timestamptz(3) default now(),
  add column held_until timestamptz(3),
  -- What holds it up is that its account has enough under way.
  add column is_held_by_account boolean not null default false,
  -- We could not send, and try no sooner: not the receiver's fault.
  add column paused_until timestamptz(3);
alter table webhook alter column next_due_at drop default;
