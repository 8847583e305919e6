-- compatible, batches
with batch as (
  select id from file where id > coalesce($1, '00000000-0000-0000-0000-000000000000')::uuid order by id limit 500
), filled as (
  update file set colour = 'grey' from batch where file.id = batch.id and file.colour is null
)
select id as last from batch order by id desc limit 1;
