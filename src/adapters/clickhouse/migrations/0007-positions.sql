-- Where a writer resumes without reading the other tables. The newest version of a partition counts,
-- and position 0 notes nothing.

CREATE TABLE IF NOT EXISTS position_rows (
  log_partition UInt32 COMMENT 'Partition of the lifecycle log',
  version UInt64 COMMENT 'Number of this note among those of the partition',
  position UInt64 COMMENT 'Offset in that partition up to which every row had been stored for a while',
  last_order String COMMENT 'Order of the last change below it',
  last_seq UInt64 COMMENT 'Number of that change'
) ENGINE = ReplacingMergeTree(version) ORDER BY log_partition
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Storage of positions noted by the writer: a row may stand in several versions until parts are merged';
