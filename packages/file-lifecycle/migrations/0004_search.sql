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

-- A text as searches compare it: case is folded fully, as Unicode has it (ß is ss, ﬁ is fi), i is the same with its dot and
-- without, and é is one whether it was written as one character or as two. ICU knows all letters, whatever the locale of
-- the database.
create function folded(text) returns text language sql immutable parallel safe as $$
  select case when octet_length($1) = length($1) then lower($1 collate "C") collate "C"
  else normalize(replace(replace(replace(lower(upper($1 collate "und-x-icu")) collate "C",
    'ß', 'ss'), 'ς', 'σ'), U&'i\0307', 'i'), NFC) end
$$;

-- Names beside the files: a file's row changes a dozen times in its life, and its trigrams need not be written each time.
create table file_name (
  file_id uuid primary key references file (id) on delete cascade,
  account_id uuid not null,
  folded_name text collate "C" not null
);
-- No index on the account alone, which a plan could prefer to this one.
create index file_name_part on file_name using gin (account_id, folded_name gin_trgm_ops);

create function keep_file_name() returns trigger language plpgsql as $$
begin
  insert into file_name (file_id, account_id, folded_name) values (new.id, new.account_id, folded(new.name))
  on conflict (file_id) do update set folded_name = excluded.folded_name;
  return null;
end $$;
create trigger file_named after insert on file for each row execute function keep_file_name();
create trigger file_renamed after update of name on file for each row
  when (old.name is distinct from new.name) execute function keep_file_name();
