-- compatible
create table note (id bigint generated always as identity primary key, text text not null);
insert into note (text) values ('from the migration');
