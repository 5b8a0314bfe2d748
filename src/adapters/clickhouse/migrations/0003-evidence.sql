CREATE TABLE IF NOT EXISTS order_evidence_rows (
  order_id String,
  seq UInt64,
  asked_at DateTime64(3, 'UTC'),
  answered_at DateTime64(3, 'UTC'),
  begun_epoch Nullable(UInt64),
  begun_n Nullable(UInt64),
  mempool_sequence Nullable(UInt64),
  node String,
  asset_index String
) ENGINE = ReplacingMergeTree ORDER BY (order_id, seq)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Storage of order_evidence: a row may stand twice until parts are merged';

CREATE VIEW IF NOT EXISTS order_evidence (
  order_id String COMMENT 'Order id: 64 hex digits',
  seq UInt64 COMMENT 'Number of the change that it led to',
  asked_at DateTime64(3, 'UTC') COMMENT 'When the authorities were asked',
  answered_at DateTime64(3, 'UTC') COMMENT 'When both had answered',
  begun_epoch Nullable(UInt64) COMMENT 'Epoch of the last watermark consumed before',
  begun_n Nullable(UInt64) COMMENT 'Number of that watermark in its epoch',
  mempool_sequence Nullable(UInt64) COMMENT 'Mempool sequence of that watermark',
  node String COMMENT 'Answer of the full node, JSON',
  asset_index String COMMENT 'Answer of the asset index, JSON'
) AS SELECT * FROM order_evidence_rows FINAL
COMMENT 'What the authorities answered, for each change made by it';

CREATE TABLE IF NOT EXISTS verification_rows (
  order_id String,
  seq UInt64,
  verified_at DateTime64(3, 'UTC'),
  state LowCardinality(String),
  reason String,
  node LowCardinality(String),
  asset_index LowCardinality(String),
  tip_height Nullable(UInt32),
  tip_hash Nullable(String),
  index_height Nullable(UInt32),
  index_hash Nullable(String)
) ENGINE = ReplacingMergeTree ORDER BY (order_id, seq)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Storage of verifications: a row may stand twice until parts are merged';

CREATE VIEW IF NOT EXISTS verifications (
  order_id String COMMENT 'Order id: 64 hex digits',
  seq UInt64 COMMENT 'Number of the change that it led to',
  verified_at DateTime64(3, 'UTC') COMMENT 'When the authorities were asked',
  state LowCardinality(String) COMMENT 'State of the order after',
  reason String COMMENT 'Reason of that state',
  node LowCardinality(String) COMMENT 'ready, or why the node gave no usable answer',
  asset_index LowCardinality(String) COMMENT 'ready, or why the index gave no usable answer',
  tip_height Nullable(UInt32) COMMENT 'Height of the node tip',
  tip_hash Nullable(String) COMMENT 'Hash of the node tip',
  index_height Nullable(UInt32) COMMENT 'Height of the asset index',
  index_hash Nullable(String) COMMENT 'Hash that the index holds at that height'
) AS SELECT * FROM verification_rows FINAL
COMMENT 'Each verification with the place of the authorities';
