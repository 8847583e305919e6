-- compatible, online
create index concurrently if not exists vault_purge_due on vault (purge_due_at) where purge_due_at is not null;
