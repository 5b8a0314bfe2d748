CREATE TABLE IF NOT EXISTS settlement_rows (
  order_id String,
  seq UInt64,
  txid String,
  observed_at DateTime64(3, 'UTC'),
  confirmations UInt32,
  confirmed_at Nullable(DateTime64(3, 'UTC')),
  block_height Nullable(UInt32),
  block_hash Nullable(String)
) ENGINE = ReplacingMergeTree ORDER BY (order_id, seq)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Storage of settlements: a row may stand twice until parts are merged';

CREATE VIEW IF NOT EXISTS settlements (
  order_id String COMMENT 'Order id: 64 hex digits',
  seq UInt64 COMMENT 'Number of the change that told of it',
  txid String COMMENT 'Transaction that carries the exact payout',
  observed_at DateTime64(3, 'UTC') COMMENT 'When it was first seen',
  confirmations UInt32 COMMENT 'Confirmations when the change was made',
  confirmed_at Nullable(DateTime64(3, 'UTC')) COMMENT 'Time of its block',
  block_height Nullable(UInt32) COMMENT 'Height of its block; null in the mempool',
  block_hash Nullable(String) COMMENT 'Hash of its block'
) AS SELECT * FROM settlement_rows FINAL
COMMENT 'Settlements observed, reorganised ones included';
