-- compatible
-- How far the fan-out was known to have taken the stream: what is dropped behind that is missed by nobody.
alter table stream_mark add column taken_sequence bigint;
