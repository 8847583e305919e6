-- compatible, online
create index concurrently if not exists vault_kept_by_name on vault (account_id, name collate "C", id)
  where deleted_at is null;
