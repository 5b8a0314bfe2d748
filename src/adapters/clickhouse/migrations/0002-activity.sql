CREATE TABLE IF NOT EXISTS activity_rows (
  order_id String,
  seq UInt64,
  from_state LowCardinality(Nullable(String)),
  to_state LowCardinality(String),
  reason String,
  actor String,
  observed_at DateTime64(3, 'UTC')
) ENGINE = ReplacingMergeTree ORDER BY (observed_at, order_id, seq)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Storage of activity: a row may stand twice until parts are merged';

CREATE VIEW IF NOT EXISTS activity (
  order_id String COMMENT 'Order id: 64 hex digits',
  seq UInt64 COMMENT 'Number of the change among those of its order',
  from_state LowCardinality(Nullable(String)) COMMENT 'State before; null for the first change',
  to_state LowCardinality(String) COMMENT 'State after',
  reason String COMMENT 'Why, as a code',
  actor String COMMENT 'Who caused it: reconciler, seller, operator, import:<source>',
  observed_at DateTime64(3, 'UTC') COMMENT 'When it was observed'
) AS SELECT * FROM activity_rows FINAL
COMMENT 'Changes of kind transition in the order of time: what GET /activity reads';
