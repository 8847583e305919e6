-- compatible, batches
-- The names of files from before; newer ones come by the trigger. A file that is locked cannot be deleted meanwhile.
with batch as (
  select id, account_id, name from file
  where id > coalesce($1, '00000000-0000-0000-0000-000000000000')::uuid
  order by id limit 500
  for key share
), named as (
  insert into file_name (file_id, account_id, folded_name) select id, account_id, folded(name) from batch
  on conflict (file_id) do nothing
)
select id as last from batch order by id desc limit 1;
