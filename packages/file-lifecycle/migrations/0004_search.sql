-- compatible
-- Search in names. The extensions are trusted ones of Postgres itself: CREATE on the database is enough to make them,
-- unless somebody who may has made them before.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;
-- Wherever they are: the next statements name their operator classes.
select set_config('search_path', current_setting('search_path') || (
  select string_agg(distinct ', ' || quote_ident(nspname), '') from pg_extension
  join pg_namespace on pg_namespace.oid = extnamespace where extname in ('pg_trgm', 'btree_gin')
), true);

-- Names beside the files: a file's row changes a dozen times in its life, and its trigrams need not be written each time.
create table file_name (
  file_id uuid primary key references file (id) on delete cascade,
  account_id uuid not null,
  -- ICU knows the case of every letter, whatever the locale of the database.
  name text collate "und-x-icu" not null
);
-- No index on the account alone, which a plan could prefer to this one.
create index file_name_part on file_name using gin (account_id, name gin_trgm_ops);

create function keep_file_name() returns trigger language plpgsql as $$
begin
  insert into file_name (file_id, account_id, name) values (new.id, new.account_id, new.name)
  on conflict (file_id) do update set name = excluded.name;
  return null;
end $$;
create trigger file_named after insert on file for each row execute function keep_file_name();
create trigger file_renamed after update of name on file for each row
  when (old.name is distinct from new.name) execute function keep_file_name();
