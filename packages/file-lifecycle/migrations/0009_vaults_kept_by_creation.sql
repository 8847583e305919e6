-- compatible, online
-- Lists of vaults, and what a list of files asks of them, without passing those that it leaves out.
create index concurrently if not exists vault_kept_by_creation on vault (account_id, created_at, id)
  where deleted_at is null;
