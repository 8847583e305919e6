-- compatible
create or replace trigger vault_counters_not_negative
  after update of file_count, storage_bytes on vault for each row
  when (least(new.file_count, new.storage_bytes) < 0)
  execute function refuse_negative_counter();
