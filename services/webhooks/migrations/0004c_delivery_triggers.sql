-- compatible
-- For services of before, which do not know the column.
create function set_delivery_activation() returns trigger language plpgsql as $$
begin
  select activation into new.activation from webhook where id = new.webhook_id;
  return new;
end $$;

create trigger delivery_activation before insert on delivery
  for each row when (new.activation is null) execute function set_delivery_activation();
-- With the trigger, not before: until then services of before are in need of it.
alter table delivery alter column activation drop default;

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
