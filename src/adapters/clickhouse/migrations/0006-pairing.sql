-- A block that a reorganisation took back stays: a newer version of its row says so. What it held is
-- read only while it is canonical.

CREATE TABLE IF NOT EXISTS pairing_block_rows (
  deployment String,
  network LowCardinality(String),
  height UInt32,
  block_hash String,
  previous_checkpoint_hash String,
  objects_root String,
  carriers_root String,
  events_root String,
  checkpoint_hash String,
  transaction_count UInt32,
  event_count UInt32,
  is_canonical Bool,
  version UInt64
) ENGINE = ReplacingMergeTree(version) ORDER BY (deployment, height, block_hash)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Storage of pairing_blocks: a row may stand in several versions until parts are merged';

CREATE TABLE IF NOT EXISTS pairing_transaction_rows (
  deployment String,
  height UInt32,
  block_hash String,
  transaction_index UInt32,
  txid String,
  opcode Nullable(UInt8),
  is_valid Bool,
  reason LowCardinality(Nullable(String))
) ENGINE = ReplacingMergeTree ORDER BY (deployment, height, block_hash, transaction_index)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Storage of pairing_transaction_log: a row may stand twice until parts are merged';

CREATE TABLE IF NOT EXISTS pairing_event_rows (
  deployment String,
  height UInt32,
  block_hash String,
  transaction_index UInt32,
  event_index UInt32,
  txid String,
  kind LowCardinality(String),
  object_key String,
  from_outpoint Nullable(String),
  to_outpoint Nullable(String),
  pair_id Nullable(String)
) ENGINE = ReplacingMergeTree ORDER BY (deployment, height, block_hash, transaction_index, event_index)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Storage of pairing_event_log: a row may stand twice until parts are merged';

CREATE VIEW IF NOT EXISTS pairing_blocks (
  deployment String COMMENT 'Name of the deployment that the checkpoint carries',
  network LowCardinality(String) COMMENT 'Bitcoin network',
  height UInt32 COMMENT 'Height of the block',
  block_hash String COMMENT 'Hash of the block',
  previous_checkpoint_hash String COMMENT 'Checkpoint of the block below',
  objects_root String COMMENT 'Root of the objects that it changed',
  carriers_root String COMMENT 'Root of the carriers that it changed',
  events_root String COMMENT 'Root of its events',
  checkpoint_hash String COMMENT 'Hash over all of these: what the pipelines sign for',
  transaction_count UInt32 COMMENT 'Transactions that it recorded',
  event_count UInt32 COMMENT 'Events that it made',
  is_canonical Bool COMMENT 'False once a reorganisation took it back'
) AS SELECT * EXCEPT version FROM pairing_block_rows FINAL
COMMENT 'Checkpoint of every block, reorganised ones included';

CREATE VIEW IF NOT EXISTS pairing_transaction_log (
  deployment String COMMENT 'Name of the deployment',
  height UInt32 COMMENT 'Height of its block',
  block_hash String COMMENT 'Hash of its block',
  transaction_index UInt32 COMMENT 'Its place in the block; 0 is the coinbase',
  txid String COMMENT 'Its id',
  opcode Nullable(UInt8) COMMENT 'Opcode of its marker; null without one, and with several',
  is_valid Bool COMMENT 'False: its marker maps nothing',
  reason LowCardinality(Nullable(String)) COMMENT 'Why its marker maps nothing, as a code'
) AS SELECT * FROM pairing_transaction_rows FINAL
WHERE (deployment, height, block_hash) IN (
  SELECT deployment, height, block_hash FROM pairing_block_rows FINAL WHERE is_canonical
)
COMMENT 'Transactions of the pairing protocol in canonical blocks';

CREATE VIEW IF NOT EXISTS pairing_event_log (
  deployment String COMMENT 'Name of the deployment',
  height UInt32 COMMENT 'Height of its block',
  block_hash String COMMENT 'Hash of its block',
  transaction_index UInt32 COMMENT 'Place of its transaction in the block',
  event_index UInt32 COMMENT 'Number among the events of its transaction, from 0',
  txid String COMMENT 'Transaction that made it',
  kind LowCardinality(String) COMMENT 'object_created, carrier_moved, objects_paired, pair_dissolved, object_released',
  object_key String COMMENT 'Object that it is about',
  from_outpoint Nullable(String) COMMENT 'Carrier before, txid:vout',
  to_outpoint Nullable(String) COMMENT 'Carrier after, txid:vout',
  pair_id Nullable(String) COMMENT 'Pair that it makes, moves or dissolves'
) AS SELECT * FROM pairing_event_rows FINAL
WHERE (deployment, height, block_hash) IN (
  SELECT deployment, height, block_hash FROM pairing_block_rows FINAL WHERE is_canonical
)
COMMENT 'Events of the pairing protocol in canonical blocks';
