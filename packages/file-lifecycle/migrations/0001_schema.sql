-- compatible
-- Every table of schema files (docs/file-lifecycle.md). Stored times are now(); sizes are bytes.

-- Search in names. The extensions are trusted ones of Postgres itself: CREATE on the database is enough to make them,
-- unless somebody who may has made them before.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;
-- Wherever they are: an index below names their operator classes.
select set_config('search_path', current_setting('search_path') || (
  select string_agg(distinct ', ' || quote_ident(nspname), '') from pg_extension
  join pg_namespace on pg_namespace.oid = extnamespace where extname in ('pg_trgm', 'btree_gin')
), true);

-- Marks the volumes of storage networks: what bears another id belongs to another installation.
create table installation (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now()
);
insert into installation default values;

-- Encrypts the cursors of lists (service-kit/http/list-cursor.ts) for all processes of the service.
create table cursor_key (
  singleton boolean primary key default true check (singleton),
  key bytea not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
insert into cursor_key default values;

-- Counters of an account change only in the statement that changes the file or vault rows they count.
create table account (
  id uuid primary key,
  created_at timestamptz not null default now(),
  storage_bytes bigint not null default 0,
  hot_bytes bigint not null default 0,
  file_count bigint not null default 0,
  vault_count bigint not null default 0,
  open_uploads bigint not null default 0,
  -- All files that ever became hot, and their bytes: what differs from day to day was added (usage_day).
  files_added bigint not null default 0,
  bytes_added bigint not null default 0
);

create table vault (
  id uuid primary key,
  account_id uuid not null references account (id),
  name text not null,
  description text not null default '',
  visibility text not null check (visibility in ('public', 'private')),
  slug text collate "C" not null,
  is_default boolean not null default false,
  -- Made by an export (docs/adr/0092), and holds its files alone.
  is_export boolean not null default false,
  -- How long after its request a new file goes to the trash, unless that says otherwise; null: never.
  files_expire_after_seconds bigint check (files_expire_after_seconds > 0),
  -- Tells the key of a private vault from others (docs/adr/0106); null: none was made, or its client did not say.
  key_id text check (key_id is null or visibility = 'private'),
  -- Cross-origin rules of the S3 door, as its contract has them; null: none.
  cors jsonb,
  -- Without the trash; counted as an account's are.
  file_count bigint not null default 0,
  storage_bytes bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- In the trash, its files through it (§7); purge_due_at is the end of that and, once purging_at is set, the next pass.
  deleted_at timestamptz,
  purge_due_at timestamptz,
  purging_at timestamptz
);
-- Public URLs and buckets. A vault in the trash has no slug to others: restoring it may give it another one.
create unique index vault_slug on vault (account_id, slug) where deleted_at is null;
-- Preflight requests of browsers, which name no account.
create index vault_cors on vault (slug) where cors is not null and deleted_at is null;
-- One default vault an account.
create unique index vault_default on vault (account_id) where is_default;
-- Vaults to be purged (trash-vault.ts).
create index vault_purge_due on vault (purge_due_at) where purge_due_at is not null;
-- Lists of vaults, and what a list of files asks of them, without passing those that it leaves out.
create index vault_kept_by_creation on vault (account_id, created_at, id) where deleted_at is null;
create index vault_kept_by_name on vault (account_id, name collate "C", id) where deleted_at is null;
create index vault_in_trash_by_creation on vault (account_id, created_at, id) where deleted_at is not null;
create index vault_in_trash_by_name on vault (account_id, name collate "C", id) where deleted_at is not null;

-- Counters never go below zero. A check constraint is no way to say so: it is judged on the row as the statement's snapshot
-- has it, before Postgres learns that somebody changed that row meanwhile and begins anew from the newer one. So it refused
-- changes that were right, such as throwing away the first file of a vault that was moved there a moment ago. A trigger
-- after the update sees what is stored.
create function refuse_negative_counter() returns trigger language plpgsql as $$
begin
  raise check_violation using message = format('A counter of %s %s would be below zero', tg_table_name, new.id);
end
$$;

create trigger account_counters_not_negative
  after update of storage_bytes, hot_bytes, file_count, vault_count, open_uploads on account for each row
  when (least(new.storage_bytes, new.hot_bytes, new.file_count, new.vault_count, new.open_uploads) < 0)
  execute function refuse_negative_counter();
create trigger vault_counters_not_negative
  after update of file_count, storage_bytes on vault for each row
  when (least(new.file_count, new.storage_bytes) < 0)
  execute function refuse_negative_counter();

-- A file's row changes a dozen times, often right after it was made: with room on its page, and no indexed column among
-- what changes, none of the indexes is written.
create table file (
  id uuid primary key,
  account_id uuid not null references account (id),
  vault_id uuid not null references vault (id),
  -- Where it is in the vault: `2026/photos/` and `a.jpg` (docs/adr/0075). Folders are no rows.
  folder text not null default '',
  name text not null,
  path text collate "C" not null generated always as (folder || name) stored,
  -- The bytes by which a client of the S3 door knows the file, where no path can have them; null: those of the path.
  raw_key text collate "C",
  key text collate "C" not null generated always as (coalesce(raw_key, folder || name)) stored,
  -- Of several files at a path the last one stands for it, by this; null: by its id. Both are UUIDv7.
  place_id uuid,
  -- How it takes its path when it becomes hot, and then how it did; whom it followed there, and who followed it.
  on_conflict text not null default 'keep' check (on_conflict in ('keep', 'fail', 'replace')),
  replaces uuid,
  replaced_by uuid,
  -- Which file must have the path then; null: whichever; the nil UUID: none.
  if_occupant uuid check (if_occupant is null or on_conflict <> 'keep'),
  -- What its owner says of it, found by file_label; null: nothing. Or what the client has sealed, which nobody looks into.
  metadata jsonb,
  tags text[],
  sealed_metadata text,
  -- When it goes to the trash by itself; null: never.
  expires_at timestamptz,
  -- Received by an upload link, or a copy of such a file, and not published by the owner: hidden from every public read.
  awaiting_review boolean not null default false,
  mime_type text not null,
  size_bytes bigint not null check (size_bytes >= 0),
  wrapped_key text,
  encryption_iv text,
  plaintext_size_bytes bigint,
  plaintext_checksum_sha256 text,

  status text not null default 'uploading' check (status in ('uploading', 'hot', 'synced', 'cold', 'error')),
  -- The guard: grows with every change that others decide on.
  version integer not null default 1,
  error_code text,
  error text,

  -- upload
  checksum_declared text,
  part_size_bytes bigint,
  -- The key that requested the upload and may read no files, unless the file was edited since: confirm shows it the file.
  uploader_key_id uuid,
  -- How the bytes come: as a multipart upload, in one PUT of the client's to the store, or through the API.
  -- Or in parts of any size through the API (upload_part), whose sum is known only at the completion.
  upload_form text not null default 'parts' check (upload_form in ('parts', 'once', 'direct', 'open')),
  upload_key text not null,
  upload_id text,
  -- Which digest the client wants of an upload of the form open, and of what: `crc32c composite`, `crc32 full_object`.
  upload_digest text,
  upload_expires_at timestamptz not null,
  -- When one that is to be confirmed without its client is looked at next; null: its client confirms it.
  confirm_due_at timestamptz,
  completing_at timestamptz,
  -- No PUT or completion can be under way after this.
  cleanup_after timestamptz,

  -- the bytes
  hot_key text,
  sha256 text,
  -- The ETag of the S3 door: an MD5, or `md5(md5s)-N` of an upload in parts; null: derived from the id.
  entity_tag text,
  -- Other digests that the client sent or requested, in base64 by name (packages/digests).
  digests jsonb,
  -- Response headers that the client stored, such as content-encoding, by lower-case name.
  headers jsonb,
  -- Of an upload of the form open: how many parts of which size follow each other (part-sizes.ts).
  part_sizes bigint[],
  -- Once an archive has read them all (services/files/src/archive).
  crc32 bigint,

  -- claims: whoever acts outside Postgres for the row. The token only grows; the count is of claims without an outcome.
  claimed_until timestamptz,
  fencing_token bigint not null default 0,
  unfinished_claims integer not null default 0,
  -- Visits of a periodic task that failed in a row: each makes the wait for the next one longer.
  task_failures integer not null default 0,

  -- work that is due
  hot_until timestamptz,
  evict_attempt integer not null default 0,
  evict_due_at timestamptz,
  evicting_at timestamptz,
  -- Named before anything exists under it; becomes hot_key once the bytes are there, so hot_key always means bytes.
  rehydrate_key text,
  rehydrate_attempt integer not null default 0,
  rehydrate_due_at timestamptz,
  -- The end of the time in the trash and, once purging_at is set, when the next pass is due.
  deleted_at timestamptz,
  purge_due_at timestamptz,
  purging_at timestamptz,

  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  confirmed_at timestamptz,
  synced_at timestamptz,
  evicted_at timestamptz,
  errored_at timestamptz
) with (fillfactor = 75);

-- Each index says whom it serves. A change of a column that any of them names, in its key or in its condition, writes an
-- entry into all that the row is in; any other change writes none (HOT). So no index names what changes often or just
-- before another write: version, claims, completing_at (docs/adr/0066-one-first-step-for-each-schema.md).

-- Lists leave out what was thrown away: where that is much, each page would walk past all of it until it is purged.
-- GET /api/files, newest or oldest first; the first page of a search.
create index file_kept_of_account_by_creation on file (account_id, created_at, id)
  where deleted_at is null and purging_at is null;
-- GET /api/files?sortBy=name.
create index file_kept_of_account_by_name on file (account_id, name collate "C", id)
  where deleted_at is null and purging_at is null;
-- GET /api/files?status=…, in the order of creation.
create index file_kept_of_account_by_status on file (account_id, status, created_at, id)
  where deleted_at is null and purging_at is null;
-- GET /api/files?mimeType=…, in any case and without parameters; which types of a class an account has.
create index file_kept_of_account_by_type
  on file (account_id, (lower(rtrim(split_part(mime_type collate "C", ';', 1)))), created_at, id)
  where deleted_at is null and purging_at is null;
-- GET /api/files?vaultId=…, a public vault's page, and lists of an account that has a vault in the trash.
create index file_kept_of_vault_by_creation on file (vault_id, created_at, id)
  where deleted_at is null and purging_at is null;
-- The same with sortBy=name.
create index file_kept_of_vault_by_name on file (vault_id, name collate "C", id)
  where deleted_at is null and purging_at is null;
-- Lists by path, with a prefix, by folder; who stands for a path (find-by-path.ts, take-path.ts).
create index file_kept_of_vault_by_path on file (vault_id, path, (coalesce(place_id, id)))
  where deleted_at is null and purging_at is null;
-- Lists by key (S3 door), and the file that stands for a key (take-path.ts).
create index file_kept_of_vault_by_key on file (vault_id, key, (coalesce(place_id, id)))
  where deleted_at is null and purging_at is null;
-- No two of those that took a path from others, or found it free, have the same one (take-path.ts).
create unique index file_sole_of_key on file (vault_id, key)
  where on_conflict <> 'keep' and status <> 'uploading' and deleted_at is null and purging_at is null;
-- The purge of a vault, which takes all its files in this order; whether it is empty; the foreign key.
create index file_of_vault_by_creation on file (vault_id, created_at, id);
-- GET /api/trash, and emptying it.
create index file_in_trash_by_creation on file (account_id, created_at, id) where deleted_at is not null;
-- GET /api/trash?sortBy=name.
create index file_in_trash_by_name on file (account_id, name collate "C", id) where deleted_at is not null;
-- Jobs that restore or delete what is in the trash below a folder (files-in-range.ts).
create index file_in_trash_of_vault_by_path on file (vault_id, path, (coalesce(place_id, id)))
  where deleted_at is not null and purging_at is null;

-- GET /api/files?awaitingReview=true.
create index file_awaiting_review_of_account on file (account_id, created_at, id)
  where awaiting_review and deleted_at is null and purging_at is null;
-- Jobs that publish the files below a folder (files-in-range.ts).
create index file_awaiting_review_of_vault_by_path on file (vault_id, path, (coalesce(place_id, id)))
  where awaiting_review and deleted_at is null and purging_at is null;

-- Uploads that nobody confirmed in time (expire-uploads.ts).
create index file_upload_expiry on file (upload_expires_at)
  where status = 'uploading' and confirm_due_at is null and purging_at is null;
-- Those that are confirmed without their client, or end then (confirm-uploads.ts).
create index file_upload_to_confirm on file (confirm_due_at)
  where status = 'uploading' and confirm_due_at is not null and purging_at is null;
-- Open uploads in parts of a vault, in the order of the S3 door.
create index file_open_upload_of_vault_by_key on file (vault_id, key, id)
  where status = 'uploading' and upload_form = 'open' and purging_at is null;
-- What goes to the trash by itself (expire-files.ts).
create index file_expiry on file (expires_at)
  where expires_at is not null and status <> 'uploading' and deleted_at is null and purging_at is null;
-- What uploads of confirmed files may have left (clean-up-uploads.ts).
create index file_cleanup on file (cleanup_after)
  where status <> 'uploading' and purging_at is null and cleanup_after is not null;
-- What is to be evicted, and brought back: dispatch.ts. What is due in the trash would lie before all others for weeks.
create index file_evict_due on file (evict_due_at)
  where evict_due_at is not null and deleted_at is null and purging_at is null;
create index file_rehydrate_due on file (rehydrate_due_at)
  where rehydrate_due_at is not null and deleted_at is null and purging_at is null;
-- What begins a purge and what carries one on are due by the same column; where much is settling, either would walk past
-- all of the other: empty-trash.ts …
create index file_trash_due on file (purge_due_at) where deleted_at is not null and purging_at is null;
-- … and purge-files.ts.
create index file_purging_due on file (purge_due_at) where purging_at is not null;

-- How many files are still on their way, by status, and since when the oldest (file-statistics.ts, oldest-files.ts); those
-- in error one after the other (files-in-error.ts). Most files are cold and not in here.
create index file_before_cold on file (status, (coalesce(errored_at, synced_at, confirmed_at, created_at)), id)
  where status <> 'cold' and deleted_at is null and purging_at is null;
-- Files whose row breaks a promise (file-statistics.ts): empty, as long as none is broken.
create index file_broken on file (status)
  where ((status in ('synced', 'cold') and sha256 is null) or (status in ('hot', 'synced') and hot_key is null))
    and purging_at is null;

-- Parts of uploads of the form `open` (upload/open-parts.ts), and the bytes that each reserves: of each part the attempt
-- that the store has, and those that are on their way.
create table upload_part (
  file_id uuid not null references file (id) on delete cascade,
  part_number integer not null check (part_number between 1 and 10000),
  attempt uuid not null,
  size_bytes bigint not null,
  -- The store may get the last bytes of this attempt until then, and of no other one of the part.
  committing_until timestamptz,
  -- In lower-case hex; null: the bytes are still on their way.
  md5 text,
  -- As a file's.
  digests jsonb,
  -- As the store returned it, without quotes.
  store_etag text,
  -- Not part of the completion that has begun; its bytes are not counted.
  is_left_out boolean not null default false,
  updated_at timestamptz not null default now(),
  primary key (file_id, part_number, attempt)
);

-- Folders that lists tell though no file is in them (docs/adr/0075); few of a vault.
create table kept_folder (
  vault_id uuid not null references vault (id) on delete cascade,
  path text collate "C" not null,
  created_at timestamptz not null default now(),
  primary key (vault_id, path)
);

-- Ids that nobody is given any more (docs/adr/0093): those that clients gave, and of what is gone those of vaults and of
-- files that were confirmed. The id of an upload that came to nothing is free again.
create table taken_id (
  id uuid primary key
);

create function keep_id_taken() returns trigger language plpgsql as $$
begin
  insert into taken_id (id) values (old.id) on conflict do nothing;
  return null;
end $$;
create function let_id_go() returns trigger language plpgsql as $$
begin
  delete from taken_id where id = old.id;
  return null;
end $$;
create trigger vault_gone after delete on vault for each row execute function keep_id_taken();
create trigger file_gone after delete on file for each row when (old.status <> 'uploading') execute function keep_id_taken();
create trigger upload_gone after delete on file for each row when (old.status = 'uploading') execute function let_id_go();

-- Uploads whose completion was begun and has not ended, for finish-confirms.ts: few, and each for moments. An index of
-- file would have beginning a completion write an entry into a dozen of others. The trigger keeps it, so that no writer
-- can forget it; no foreign key, which would lock the file's row for each. Vacuumed for its own size.
create table completing (
  file_id uuid primary key,
  since timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create function keep_completing() returns trigger language plpgsql as $$
begin
  if new.completing_at is null or new.purging_at is not null then
    delete from completing where file_id = new.id;
  else
    insert into completing (file_id, since) values (new.id, new.completing_at)
    on conflict (file_id) do update set since = excluded.since;
  end if;
  return null;
end $$;
create trigger file_completing after update of completing_at, purging_at on file for each row
  when (old.completing_at is distinct from new.completing_at
    or (new.completing_at is not null and old.purging_at is distinct from new.purging_at))
  execute function keep_completing();

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
-- GET /api/files?q=… (search-names.ts). No index on the account alone, which a plan could prefer to this one.
create index file_name_part on file_name using gin (account_id, folded_name gin_trgm_ops);

-- Names that the index of names lacks: the trigrams of a name are some twenty entries, too many for the statement that
-- creates a file (docs/adr/0050-names-are-indexed-later.md). Rows without a key or an index, as a file may be named twice
-- before it is its turn. They are taken soon, so the table is vacuumed for its own size.
create table name_to_index (
  file_id uuid not null,
  account_id uuid not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create function keep_file_name() returns trigger language plpgsql as $$
begin
  insert into name_to_index (file_id, account_id) values (new.id, new.account_id);
  return null;
end $$;
create trigger file_named after insert on file for each row execute function keep_file_name();
create trigger file_renamed after update of name on file for each row
  when (old.name is distinct from new.name) execute function keep_file_name();

-- Metadata and tags as lists look for them, beside the files as names are; of files that have any. Each is `=tag` or
-- `key=value`: no key is empty.
create table file_label (
  file_id uuid primary key references file (id) on delete cascade,
  account_id uuid not null,
  labels text[] collate "C" not null
);
-- GET /api/files?tag=… and ?meta.KEY=… (search-labels.ts).
create index file_label_part on file_label using gin (account_id, labels);

create function keep_file_label() returns trigger language plpgsql as $$
begin
  delete from file_label where file_id = new.id;
  insert into file_label (file_id, account_id, labels)
  select new.id, new.account_id, array_agg(label) from (
    select key || '=' || value as label from jsonb_each_text(new.metadata)
    union all select '=' || tag from unnest(new.tags) as tag) as given
  having count(*) > 0;
  return null;
end $$;
create trigger file_labelled after insert on file for each row
  when (new.metadata is not null or new.tags is not null) execute function keep_file_label();
create trigger file_relabelled after update of metadata, tags on file for each row
  when (old.metadata is distinct from new.metadata or old.tags is distinct from new.tags) execute function keep_file_label();

-- A file's copies on the storage networks: a row with a life of its own each (§2), which is claimed and changed some six times
-- before it rests; hence the room.
create table copy (
  file_id uuid not null references file (id) on delete cascade,
  network text not null,
  -- <fileId>_<n>; what the network acts on. n grows when a dropped copy is planned again, so none is used twice.
  reference text not null,
  blob_id text,
  ref jsonb not null default '{}',

  state text not null check (state in ('planned', 'stored', 'proved', 'failed', 'dropping', 'dropped')),
  attempt integer not null default 0,
  due_at timestamptz,
  -- Was there and is not any more: it is to be stored again.
  lost_at timestamptz,

  claimed_until timestamptz,
  fencing_token bigint not null default 0,
  unfinished_claims integer not null default 0,

  stored_at timestamptz,
  -- The file's synced_at when it was stored: of all files with a blob id the earliest is found without the others.
  file_synced_at timestamptz,
  proved_at timestamptz,
  checked_at timestamptz,
  checks_ok integer not null default 0,
  checks_failed integer not null default 0,
  -- When the lease that counts now began, and when it is to be renewed.
  leased_at timestamptz,
  lease_expires_at timestamptz,
  renew_due_at timestamptz,
  -- What the network bills for it as long as its row says that it is there; null: nothing.
  billed_bytes bigint,
  -- The copies of a file.
  primary key (file_id, network)
) with (fillfactor = 70);
-- What is to be stored, proved (dispatch.ts), checked (check-copies.ts) and dropped (drop-copies.ts) on a network, and how
-- many of it were lost (file-statistics.ts).
create index copy_due on copy (network, state, due_at, file_id) where due_at is not null;
-- renew-leases.ts.
create index copy_renew_due on copy (network, renew_due_at) where renew_due_at is not null;
-- GET /public/blobs/{blobId} (find-public-file.ts).
create index copy_by_blob on copy (blob_id, file_synced_at, file_id) where file_synced_at is not null;
-- Networks that are left and those that are not configured any more: how many copies are there (file-statistics.ts), and all
-- of them in the order of files (forget-network.ts); the first and the last for set-up-networks.ts.
create index copy_of_network on copy (network, file_id) where state <> 'dropped';
-- What was given up (failed-copies.ts), and how much (file-statistics.ts).
create index copy_failed on copy (network, file_id) where state = 'failed';
-- What was lost and is not stored again yet (file-statistics.ts): counted all the time, and seldom anything.
create index copy_lost on copy (network) where state = 'planned' and lost_at is not null and due_at is not null;

-- What networks bill for an account's copies, but for the changes that are not added yet (fold-usage.ts).
create table network_usage (
  account_id uuid not null,
  network text not null,
  copies bigint not null,
  bytes bigint not null,
  primary key (account_id, network)
) with (fillfactor = 75);

-- A change is a row of its own, so that no writer waits for another's. They are taken soon, so the table is vacuumed for its
-- own size.
create table network_usage_change (
  account_id uuid not null,
  network text not null,
  copies bigint not null,
  bytes bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
-- GET /api/account (network-usage.ts).
create index network_usage_change_of_account on network_usage_change (account_id);

-- In the statement that changes the copy, whoever writes it.
create function count_billed() returns trigger language plpgsql as $$
begin
  insert into network_usage_change (account_id, network, copies, bytes)
  select account_id, new.network, num_nonnulls(new.billed_bytes) - num_nonnulls(old.billed_bytes),
    coalesce(new.billed_bytes, 0) - coalesce(old.billed_bytes, 0)
  from file where id = new.file_id;
  return null;
end $$;
create trigger copy_billed after update of billed_bytes on copy for each row
  when (old.billed_bytes is distinct from new.billed_bytes) execute function count_billed();

-- What accounts, and vaults, had at the end of a day in UTC, as their counters said it soon after
-- (docs/adr/0105-usage-is-kept-by-day.md); of accounts that ever added a file, and of vaults with files.
create table usage_day (
  account_id uuid not null references account (id),
  day date not null,
  file_count bigint not null,
  storage_bytes bigint not null,
  hot_bytes bigint not null,
  files_added bigint not null,
  bytes_added bigint not null,
  -- As GET /api/account/usage tells them.
  networks jsonb not null,
  -- GET /api/account/usage.
  primary key (account_id, day)
);
-- Days that are no longer kept, to be removed (forget-old.ts); the same of vaults.
create index usage_day_by_day on usage_day (day);
create table vault_usage_day (
  vault_id uuid not null references vault (id) on delete cascade,
  day date not null,
  file_count bigint not null,
  storage_bytes bigint not null,
  -- GET /api/vaults/{id}/usage.
  primary key (vault_id, day)
);
create index vault_usage_day_by_day on vault_usage_day (day);

-- Up to which day that is written, and after which account or vault it goes on; null: that day is whole.
create table usage_walk (
  subject text primary key check (subject in ('account', 'vault')),
  day date not null default '-infinity',
  after uuid
);
insert into usage_walk (subject) values ('account'), ('vault');

-- How far the walk over all files is, for which configuration. No place: it is over.
create table copy_walk (
  singleton boolean primary key default true check (singleton),
  configuration text not null default '',
  after uuid,
  begun_at timestamptz not null default '-infinity',
  -- When it got on last: a walk that gets on is not begun anew by another configuration.
  walked_at timestamptz not null default '-infinity',
  -- When the configuration was seen first: walks follow each other the faster, the newer it is.
  since timestamptz not null default now()
);
insert into copy_walk default values;

-- Outbox and history in one, of files and vaults (docs/adr/0045-one-outbox-for-all-news.md).
create table event (
  id uuid primary key,
  subject_kind text not null check (subject_kind in ('file', 'vault', 'key', 'webhook', 'account')),
  subject_id uuid not null,
  account_id uuid not null,
  type text not null,
  -- Goes out; the rest is history alone.
  is_public boolean not null,
  at timestamptz not null default now(),
  payload jsonb not null,
  request_id text not null,
  traceparent text not null,
  -- Who did it, and from where (docs/adr/0076-files-keep-what-was-done-to-them.md); null: nobody, it follows from something earlier.
  actor jsonb,
  client_address text,
  claimed_until timestamptz,
  published_at timestamptz,
  -- Breaks its contract: never sent, kept to be looked at.
  failed_at timestamptz,
  failure text,
  -- Set where it has to outlive its subject.
  expires_at timestamptz,
  -- A history that was sent again names its events anew.
  resends integer not null default 0
);
-- GET /api/files/{id}/timeline; what a job is caused by (dispatch.ts); what goes with its subject (purge-file.ts).
create index event_timeline on event (subject_id, at, id);
-- GET /api/account/file-events.
create index event_by_actors on event (account_id, at, id) where actor is not null;
-- What is to be published (relay.ts).
create index event_unpublished on event (at, id) where is_public and published_at is null and failed_at is null;
-- What is sent again after a loss, newest first (resend.ts).
create index event_history on event (at, id) where is_public;
-- What an operator looks at (unpublished-events.ts), and how much (file-statistics.ts).
create index event_failed on event (at, id) where failed_at is not null;
-- What outlived its subject, to be removed (purge-file.ts).
create index event_expiring on event (expires_at) where expires_at is not null;

-- What the broker acknowledged, to notice a stream that was wiped or rolled back (§9).
create table stream_mark (
  stream text primary key,
  created text not null,
  acked_sequence bigint not null default 0,
  -- How often the stream lost events. What a relay knows of the stream counts only for the same number.
  losses integer not null default 0,
  -- How far the fan-out was known to have taken the stream: what is dropped behind that is missed by nobody.
  taken_sequence bigint
);

-- The highest sequence each relay had acknowledged, and the message that has it. A row of its own, so none waits for
-- another.
create table stream_ack (
  relay uuid primary key,
  stream text not null,
  losses integer not null,
  sequence bigint not null,
  msg_id text not null,
  at timestamptz not null default now()
) with (fillfactor = 50);

-- History on its way out again, newest first: what is left lies after since and before the cursor.
create table stream_resend (
  stream text primary key,
  losses integer not null,
  since timestamptz not null,
  cursor_at timestamptz not null,
  cursor_id uuid not null default 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  resent bigint not null default 0
);

-- Links by which people without an account read a file, or all below a prefix of a vault, or put files there
-- (docs/adr/0085). What they lead to takes them along. Those that ended stay for a week.
create table link (
  id uuid primary key,
  account_id uuid not null references account (id),
  file_id uuid references file (id) on delete cascade,
  vault_id uuid references vault (id) on delete cascade,
  prefix text collate "C",
  -- SHA-256 of the token, which is kept nowhere. Whoever opens the link (find-link.ts).
  digest bytea not null unique,
  -- Argon2id, with its parameters.
  password_hash text,
  expires_at timestamptz,
  max_downloads bigint,
  downloads bigint not null default 0,
  last_used_at timestamptz,
  -- Until when tries of passwords have used up what a link may have (password-tries.ts).
  tries_until timestamptz,
  -- Of a link to put files there: what it takes, and what it took (receive-file.ts).
  max_files bigint,
  max_file_bytes bigint,
  max_bytes bigint,
  mime_types text[],
  -- Whether received files wait for their owner or are public at once.
  received text check (received in ('review', 'publish')),
  files bigint not null default 0,
  bytes bigint not null default 0,
  key_id uuid,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  check (num_nonnulls(file_id, vault_id) = 1 and (vault_id is null) = (prefix is null)),
  check ((received is null) = (max_files is null))
) with (fillfactor = 75);
-- GET /api/links, and how many an account has.
create index link_of_account on link (account_id, created_at, id);
-- GET /api/files/{id}/links; what goes with a file.
create index link_of_file on link (file_id, created_at, id) where file_id is not null;
-- GET /api/vaults/{id}/links; what goes with a vault.
create index link_of_vault on link (vault_id, created_at, id) where vault_id is not null;
-- Those that ended, to be removed (forget-old.ts).
create index link_ended on link ((least(revoked_at, expires_at))) where least(revoked_at, expires_at) is not null;

create table idempotency_key (
  account_id uuid not null references account (id),
  key text not null,
  request_digest text not null,
  resource_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
-- Those whose 24 hours are over, to be removed.
create index idempotency_key_age on idempotency_key (created_at);

-- What an account asked for that takes longer than a request: it goes on batch by batch, each of which changes files and
-- this row in one transaction (docs/adr/0083-many-files-at-once-by-jobs-of-an-account.md).
create table account_job (
  id uuid primary key,
  account_id uuid not null references account (id),
  -- One of a closed set (many/job-kinds.ts), which alone reads request and progress.
  kind text not null,
  -- Jobs of a lane follow each other by place, which is taken while the account's row is held: a vault's, or the account's.
  lane uuid not null,
  place bigint not null generated always as identity,
  -- All vaults that it touches; null: it is about the account.
  vault_id uuid,
  to_vault_id uuid,
  request jsonb not null,
  progress jsonb,
  -- What lets it in elsewhere, as service-kit/secrets seals it: never once it is over, but of a cancelled one for some minutes.
  sealed_secret text check (sealed_secret is null or due_at is not null or state = 'cancelled'),

  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  done bigint not null default 0,
  failed bigint not null default 0,
  -- The first of those that failed.
  failures jsonb not null default '[]',
  error_code text,
  error text,
  -- Batches that failed in a row.
  attempt integer not null default 0,
  -- Of those that write into buckets of strangers: the last batch was slow, failed or is not over (run-jobs.ts).
  is_slow boolean not null default false,

  -- Null: it is over.
  due_at timestamptz default now(),
  claimed_until timestamptz,
  fencing_token bigint not null default 0,

  -- Who asked for it, as events have it.
  request_id text not null,
  traceparent text not null,
  actor jsonb,
  client_address text,

  created_at timestamptz not null default now(),
  started_at timestamptz,
  updated_at timestamptz not null default now(),
  finished_at timestamptz
) with (fillfactor = 70);
-- What is to go on (claim-jobs.ts).
create index account_job_due on account_job (due_at) where due_at is not null;
-- Whether another one of its lane comes first (claim-jobs.ts), and how many an account has (create-job.ts).
create index account_job_open on account_job (account_id, lane, place) where due_at is not null;
-- GET /api/jobs.
create index account_job_by_creation on account_job (account_id, created_at, id);
-- Those that have been over for long, to be removed (forget-old.ts).
create index account_job_over on account_job (finished_at) where finished_at is not null;
-- Whose last exports into buckets were slow (create-job.ts).
create index account_job_slow on account_job (account_id, finished_at) where is_slow and finished_at is not null;
-- What was cancelled and may have left something elsewhere (leave-buckets.ts).
create index account_job_left on account_job (finished_at) where sealed_secret is not null and due_at is null;

-- Who does what one process at a time does, until when (state/turn.ts).
create table turn (
  name text primary key,
  holder uuid not null,
  held_until timestamptz not null
);

-- Workers that take no work now because of what it needs, told again as long as it lasts (process/tell-circuits.ts).
create table open_circuit (
  process uuid not null,
  service text not null,
  needs text not null,
  opened_at timestamptz not null default now(),
  told_at timestamptz not null default now(),
  primary key (process, needs)
);

-- What operators did by HTTP, and who of them (docs/adr/0101-operators-are-named-by-the-identity-provider.md); what that did to files is in event.
create table operator_event (
  id uuid primary key,
  at timestamptz not null default now(),
  kind text not null,
  account_id uuid not null,
  subject text,
  client_address text,
  request_id text not null,
  details jsonb not null
);
-- GET /api/operator/events, newest first; what is older than the log is kept, to be removed.
create index operator_event_by_time on operator_event (at, id);

-- What operators start by HTTP and eviction carries on, batch by batch (docs/adr/0102-runs-of-operators-are-rows-that-eviction-carries-on.md).
create table operator_run (
  id uuid primary key,
  kind text not null check (kind in ('reconcile', 'verify')),
  -- What was asked for, and where it goes on, as the kind knows them.
  request jsonb not null,
  place text,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  -- All that was found by a word, and the first of what is not as it should be.
  counts jsonb not null default '{}',
  findings jsonb not null default '[]',
  error text,
  -- Beginnings in a row that came no further.
  attempt integer not null default 0,
  -- Null: it is over.
  due_at timestamptz default now(),
  claimed_until timestamptz,
  fencing_token bigint not null default 0,
  account_id uuid not null,
  subject text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  updated_at timestamptz not null default now(),
  finished_at timestamptz
) with (fillfactor = 70);
-- One of a kind at a time, and which is to go on.
create unique index operator_run_of_kind on operator_run (kind) where due_at is not null;
-- GET /api/operator/runs.
create index operator_run_by_creation on operator_run (created_at, id);
-- Those that have been over for long, to be removed (forget-old.ts).
create index operator_run_over on operator_run (finished_at) where finished_at is not null;

-- What the checks of a network's copies have cost on that day, in UTC; a row for each network that has a budget
-- (check-budget.ts).
create table check_spending (
  network text primary key,
  day date not null,
  bytes bigint not null,
  requests bigint not null
);

-- What was moved on that day, in UTC, with keys that have a limit: a row for each key whose own limit it is, which those
-- that are made with it are counted in as well (docs/adr/0077-limits-are-part-of-a-key.md).
create table key_spending (
  budget_id uuid primary key,
  day date not null,
  bytes bigint not null
) with (fillfactor = 50);
-- Days that are over, to be removed.
create index key_spending_by_day on key_spending (day);

-- Hot copies that all eviction workers together were allowed to drop: how many in which second of the last minute.
create table eviction_rate (
  singleton boolean primary key default true check (singleton),
  taken jsonb not null default '{}',
  -- the answer to whoever asked last
  granted integer not null default 0
);
insert into eviction_rate default values;

-- What operators watch of all files together: found out by one process for all (file-statistics.ts).
create table file_statistics (
  singleton boolean primary key default true check (singleton),
  figures jsonb not null default '{}',
  taken_at timestamptz
);
insert into file_statistics default values;
