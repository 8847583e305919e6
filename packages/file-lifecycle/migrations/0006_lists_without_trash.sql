-- compatible
-- Lists leave out what was thrown away. Where that is much, each page would walk past all of it until it is purged.

create index file_kept_of_account_by_creation on file (account_id, created_at, id)
  where deleted_at is null and purging_at is null;
create index file_kept_of_account_by_name on file (account_id, name collate "C", id)
  where deleted_at is null and purging_at is null;
create index file_kept_of_account_by_status on file (account_id, status, created_at, id)
  where deleted_at is null and purging_at is null;
create index file_kept_of_vault_by_creation on file (vault_id, created_at, id)
  where deleted_at is null and purging_at is null;
create index file_kept_of_vault_by_name on file (vault_id, name collate "C", id)
  where deleted_at is null and purging_at is null;

-- `file_of_vault_by_creation` stays: the purge of a vault takes all its files, in this order.
drop index file_of_account_by_creation, file_of_account_by_name, file_of_account_by_status, file_of_vault_by_name;
