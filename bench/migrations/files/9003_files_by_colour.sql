-- compatible, online
create index concurrently if not exists file_by_colour on file (account_id, colour, id) where deleted_at is null;
