-- compatible
alter table delivery
  -- The next attempt, or the one under way, was asked for by hand.
  add column if not exists is_redelivery boolean not null default false,
  -- When the schedule goes on if that attempt fails; null when the schedule was over.
  add column if not exists resume_at timestamptz(3),
  -- How many of the attempts were asked for by hand: they take none from the schedule.
  add column if not exists redeliveries integer not null default 0;
