-- compatible, online
alter table file validate constraint file_colour_known;
