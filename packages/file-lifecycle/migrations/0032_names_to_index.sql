-- compatible
-- Names that the index of names lacks: the trigrams of a name are some twenty entries, too many for the statement that
-- creates a file (docs/adr/0050-names-are-indexed-later.md). Rows without a key or an index, as a file may be named twice before it is
-- its turn. They are taken soon, so the table is vacuumed for its own size.
create table name_to_index (
  file_id uuid not null,
  account_id uuid not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create or replace function keep_file_name() returns trigger language plpgsql as $$
begin
  insert into name_to_index (file_id, account_id) values (new.id, new.account_id);
  return null;
end $$;
