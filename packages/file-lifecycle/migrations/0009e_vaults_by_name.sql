-- compatible, online
drop index concurrently if exists vault_by_name;
