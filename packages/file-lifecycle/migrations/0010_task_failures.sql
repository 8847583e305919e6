-- compatible

-- Visits of a clock to the row that failed in a row: each makes the wait for the next one longer.
alter table file add column task_failures integer not null default 0;
