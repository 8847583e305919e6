-- compatible
alter table file add column colour text;
