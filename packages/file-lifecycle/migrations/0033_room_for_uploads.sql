-- compatible
-- An upload's row changes again right after it was made: with room on its page, and no indexed column among what changes,
-- none of the indexes is written.
alter table file set (fillfactor = 75);
