-- Rows come again after a failure and after a restart, so every table keeps one row for a key and its
-- view reads it through FINAL. An insert is on disk when it is acknowledged: batches are large and rare.

CREATE TABLE IF NOT EXISTS order_transition_rows (
  order_id String,
  seq UInt64,
  kind LowCardinality(String),
  from_state LowCardinality(Nullable(String)),
  to_state LowCardinality(String),
  reason String,
  actor String,
  observed_at DateTime64(3, 'UTC'),
  cause LowCardinality(String),
  outpoint String,
  protocol_id Nullable(String),
  token Nullable(String),
  side LowCardinality(Nullable(String)),
  quoted_price_sats Nullable(UInt64),
  seller_script_hex Nullable(String),
  unset Array(LowCardinality(String)),
  prev_hash Nullable(String),
  hash String,
  log_partition UInt32,
  log_offset UInt64
) ENGINE = ReplacingMergeTree ORDER BY (order_id, seq)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Storage of order_transitions: a row may stand twice until parts are merged';

CREATE VIEW IF NOT EXISTS order_transitions (
  order_id String COMMENT 'Order id: 64 hex digits',
  seq UInt64 COMMENT 'Number of the change among those of its order, from 1 without gaps',
  kind LowCardinality(String) COMMENT 'transition, verified or noted',
  from_state LowCardinality(Nullable(String)) COMMENT 'State before; null for the first change',
  to_state LowCardinality(String) COMMENT 'State after',
  reason String COMMENT 'Why, as a code',
  actor String COMMENT 'Who caused it: reconciler, seller, operator, import:<source>',
  observed_at DateTime64(3, 'UTC') COMMENT 'When it was observed',
  cause LowCardinality(String) COMMENT 'Kind of the inbox record behind it: command, evidence, spend, output, watermark',
  outpoint String COMMENT 'The offered output, txid:vout',
  protocol_id Nullable(String) COMMENT 'Discovery metadata, where this change set it',
  token Nullable(String) COMMENT 'Discovery metadata, where this change set it',
  side LowCardinality(Nullable(String)) COMMENT 'ASK or BID, where this change set it',
  quoted_price_sats Nullable(UInt64) COMMENT 'Signed price in sats, where this change set it',
  seller_script_hex Nullable(String) COMMENT 'Script of the offered output, where this change set it',
  unset Array(LowCardinality(String)) COMMENT 'Fields that the order no longer has, as the log names them',
  prev_hash Nullable(String) COMMENT 'Hash of the change before',
  hash String COMMENT 'SHA-256 of the RFC 8785 form of the change without this field',
  log_partition UInt32 COMMENT 'Partition of the lifecycle log',
  log_offset UInt64 COMMENT 'Offset in that partition'
) AS SELECT * FROM order_transition_rows FINAL
COMMENT 'Every change record of the lifecycle log';
