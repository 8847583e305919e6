-- compatible, online
drop index concurrently if exists file_by_colour;
