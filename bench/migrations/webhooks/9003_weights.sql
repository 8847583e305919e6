-- compatible, batches
with batch as (
  select id from delivery where id > coalesce($1, '00000000-0000-0000-0000-000000000000')::uuid order by id limit 500
), weighed as (
  update delivery set weight = length(body) from batch where delivery.id = batch.id
)
select id as last from batch order by id desc limit 1;
