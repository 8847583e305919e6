-- compatible
-- Counters never go below zero. A check constraint is no way to say so: it is judged on the row as the statement's snapshot
-- has it, before Postgres learns that somebody changed that row meanwhile and begins anew from the newer one. So it refused
-- changes that were right, such as throwing away the first file of a vault that was moved there a moment ago. A trigger
-- after the update sees what is stored.
create or replace function refuse_negative_counter() returns trigger language plpgsql as $$
begin
  raise check_violation using message = format('A counter of %s %s would be below zero', tg_table_name, new.id);
end
$$;

create or replace trigger account_counters_not_negative
  after update of storage_bytes, hot_bytes, file_count, vault_count, open_uploads on account for each row
  when (least(new.storage_bytes, new.hot_bytes, new.file_count, new.vault_count, new.open_uploads) < 0)
  execute function refuse_negative_counter();
