-- compatible
alter table file add constraint file_colour_known check (colour in ('grey', 'blue')) not valid;
