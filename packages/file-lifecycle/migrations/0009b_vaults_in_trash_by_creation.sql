-- compatible, online
create index concurrently if not exists vault_in_trash_by_creation on vault (account_id, created_at, id)
  where deleted_at is not null;
