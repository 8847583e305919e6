-- compatible
create table painted (file_id uuid primary key references file (id) on delete cascade, at timestamptz not null default now());
create function note_painted() returns trigger language plpgsql as $$
begin
  insert into painted (file_id) values (new.id) on conflict (file_id) do update set at = excluded.at;
  return null;
end $$;
create trigger file_painted after update of colour on file for each row
  when (old.colour is distinct from new.colour) execute function note_painted();
