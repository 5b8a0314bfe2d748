-- The schema of the history. Rows come again after a failure and after a restart, so every table keeps one
-- row for a key and its view reads it through FINAL. An insert is on disk when it is acknowledged: batches
-- are large and rare.

-- Rows of a lower form than ROW_FORM are written again from the log (ADR 64).
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
  log_offset UInt64,
  form UInt8,
  set_fields Array(LowCardinality(String)),
  is_verdict Bool,
  inscription_ids Array(String),
  sources Array(LowCardinality(String)),
  feed LowCardinality(Nullable(String)),
  lag_ms Nullable(Int64),
  postage_sats Nullable(UInt64),
  net_price_sats Nullable(Int64),
  spend_txid Nullable(String),
  spend_height Nullable(UInt32),
  settlement_txid Nullable(String),
  settlement_seen_at Nullable(DateTime64(3, 'UTC')),
  INDEX by_inscription inscription_ids TYPE bloom_filter GRANULARITY 1
) ENGINE = ReplacingMergeTree ORDER BY (order_id, seq)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Storage of order_transitions: a row may stand twice until parts are merged';

-- The signed price of an ask includes the postage, that of a bid does not: gross and net are the same
-- figures for both.
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
  quoted_price_sats Nullable(UInt64) COMMENT 'Signed price in sats, where this change set it: of an ask with the postage, of a bid without it',
  seller_script_hex Nullable(String) COMMENT 'Script of the offered output, where this change set it',
  set_fields Array(LowCardinality(String)) COMMENT 'Fields that this change set, as the log names them',
  unset Array(LowCardinality(String)) COMMENT 'Fields that the order no longer has, as the log names them',
  is_verdict Bool COMMENT 'True: the authorities had been asked',
  inscription_ids Array(String) COMMENT 'Inscriptions of the order, where this change set its assets',
  sources Array(LowCardinality(String)) COMMENT 'Who told of the order, first to last, where this change set its sources',
  feed LowCardinality(Nullable(String)) COMMENT 'The last of them',
  lag_ms Nullable(Int64) COMMENT 'Milliseconds from when that one told of it to this change',
  postage_sats Nullable(UInt64) COMMENT 'Value of the offered output in sats, where the node told it with this change',
  net_price_sats Nullable(Int64) COMMENT 'Paid to the seller less the postage, in sats, where side, price and postage are of this change',
  spend_txid Nullable(String) COMMENT 'Spender of the offered output, where this change set it',
  spend_height Nullable(UInt32) COMMENT 'Height of its block; null in the mempool',
  settlement_txid Nullable(String) COMMENT 'Transaction that carries the exact payout, where this change set it',
  settlement_seen_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When that was first seen',
  prev_hash Nullable(String) COMMENT 'Hash of the change before',
  hash String COMMENT 'SHA-256 of the RFC 8785 form of the change without this field',
  log_partition UInt32 COMMENT 'Partition of the lifecycle log',
  log_offset UInt64 COMMENT 'Offset in that partition'
) AS SELECT * REPLACE (
  if(side = 'BID', toInt64(quoted_price_sats), if(side = 'ASK', toInt64(quoted_price_sats), NULL) - toInt64(postage_sats)) AS net_price_sats
)
FROM order_transition_rows FINAL
COMMENT 'Every change record of the lifecycle log';

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

-- The last word on a field is the last change that set or removed it.
CREATE VIEW IF NOT EXISTS orders_current (
  order_id String COMMENT 'Order id: 64 hex digits',
  seq UInt64 COMMENT 'Number of its last change',
  outpoint String COMMENT 'The offered output, txid:vout',
  state String COMMENT 'State now',
  reason String COMMENT 'Why, as a code',
  protocol_id Nullable(String) COMMENT 'Discovery metadata as last told; untrusted',
  token Nullable(String) COMMENT 'Discovery metadata as last told; untrusted',
  side Nullable(String) COMMENT 'ASK or BID',
  quoted_price_sats Nullable(UInt64) COMMENT 'Signed price in sats: of an ask with the postage, of a bid without it',
  postage_sats Nullable(UInt64) COMMENT 'Value of the offered output in sats; null until the node told it',
  gross_price_sats Nullable(UInt64) COMMENT 'Paid to the seller in sats, postage included',
  net_price_sats Nullable(Int64) COMMENT 'Paid to the seller less the postage, in sats',
  seller_script_hex Nullable(String) COMMENT 'Script of the offered output',
  inscription_ids Array(String) COMMENT 'Inscriptions of the order',
  sources Array(String) COMMENT 'Who told of it, first to last',
  feed Nullable(String) COMMENT 'Who told of it first',
  lag_ms Nullable(Int64) COMMENT 'Milliseconds from its first change to its first verdict; null before that',
  spend_txid Nullable(String) COMMENT 'Spender of the offered output',
  spend_height Nullable(UInt32) COMMENT 'Height of its block; null in the mempool',
  settlement_txid Nullable(String) COMMENT 'Transaction that carries the exact payout',
  settlement_seen_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When that was first seen',
  is_hidden Bool COMMENT 'True: an operator hides it',
  first_live_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was first LIVE; null: never',
  created_at DateTime64(3, 'UTC') COMMENT 'Time of its first change',
  updated_at DateTime64(3, 'UTC') COMMENT 'Time of its last change',
  state_since DateTime64(3, 'UTC') COMMENT 'Time of the last change of its state'
) AS SELECT
  changes.order_id AS order_id,
  max(changes.seq) AS seq,
  any(changes.outpoint) AS outpoint,
  argMax(changes.to_state, changes.seq) AS state,
  argMax(changes.reason, changes.seq) AS reason,
  argMaxIf(tuple(changes.protocol_id), changes.seq, isNotNull(changes.protocol_id) OR has(changes.unset, 'protocolId')).1 AS protocol_id,
  argMaxIf(tuple(changes.token), changes.seq, isNotNull(changes.token) OR has(changes.unset, 'token')).1 AS token,
  argMaxIf(tuple(changes.side), changes.seq, isNotNull(changes.side) OR has(changes.unset, 'side')).1 AS side,
  argMaxIf(tuple(changes.quoted_price_sats), changes.seq, isNotNull(changes.quoted_price_sats) OR has(changes.unset, 'quotedPriceSats')).1 AS quoted_price_sats,
  argMaxIf(tuple(changes.postage_sats), changes.seq, isNotNull(changes.postage_sats)).1 AS postage_sats,
  if(side = 'BID', quoted_price_sats + postage_sats, quoted_price_sats) AS gross_price_sats,
  toInt64(gross_price_sats) - toInt64(postage_sats) AS net_price_sats,
  argMaxIf(tuple(changes.seller_script_hex), changes.seq, isNotNull(changes.seller_script_hex) OR has(changes.unset, 'sellerScriptHex')).1 AS seller_script_hex,
  argMaxIf(changes.inscription_ids, changes.seq, has(changes.set_fields, 'assets')) AS inscription_ids,
  argMaxIf(changes.sources, changes.seq, has(changes.set_fields, 'sources')) AS sources,
  if(empty(sources), NULL, sources[1]) AS feed,
  dateDiff('millisecond', min(changes.observed_at), minOrNullIf(changes.observed_at, changes.is_verdict)) AS lag_ms,
  argMaxIf(tuple(changes.spend_txid), changes.seq, has(changes.set_fields, 'spend')).1 AS spend_txid,
  argMaxIf(tuple(changes.spend_height), changes.seq, has(changes.set_fields, 'spend')).1 AS spend_height,
  argMaxIf(tuple(changes.settlement_txid), changes.seq, isNotNull(changes.settlement_txid) OR has(changes.unset, 'settlement')).1 AS settlement_txid,
  argMaxIf(tuple(changes.settlement_seen_at), changes.seq, isNotNull(changes.settlement_txid) OR has(changes.unset, 'settlement')).1 AS settlement_seen_at,
  toBool(argMaxIf(has(changes.set_fields, 'hidden'), changes.seq, has(changes.set_fields, 'hidden') OR has(changes.unset, 'hidden'))) AS is_hidden,
  minOrNullIf(changes.observed_at, changes.to_state = 'LIVE') AS first_live_at,
  min(changes.observed_at) AS created_at,
  argMax(changes.observed_at, changes.seq) AS updated_at,
  argMaxIf(changes.observed_at, changes.seq, ifNull(changes.from_state, '') != changes.to_state) AS state_since
FROM order_transition_rows AS changes FINAL
GROUP BY changes.order_id
COMMENT 'Each order as its changes left it';

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

-- Where a writer resumes without reading the other tables. The newest version of a partition counts, and
-- position 0 notes nothing. A position of another form than ROW_FORM counts for nothing.
CREATE TABLE IF NOT EXISTS position_rows (
  log_partition UInt32 COMMENT 'Partition of the lifecycle log',
  version UInt64 COMMENT 'Number of this note among those of the partition',
  position UInt64 COMMENT 'Offset in that partition up to which every row had been stored for a while',
  last_order String COMMENT 'Order of the last change below it',
  last_seq UInt64 COMMENT 'Number of that change',
  form UInt8 COMMENT 'Form of the rows below it'
) ENGINE = ReplacingMergeTree(version) ORDER BY log_partition
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Storage of positions noted by the writer: a row may stand in several versions until parts are merged';

-- What `market query` and GET /stats read. Sums of sats are Decimal: no sum of them goes through a float or
-- runs over. The text of an order that an operator hides is in none of them.

CREATE VIEW IF NOT EXISTS stats_market (
  protocol_id Nullable(String) COMMENT 'Market as last told; untrusted',
  token Nullable(String) COMMENT 'Token as last told; untrusted',
  live_asks UInt64 COMMENT 'LIVE asks',
  live_bids UInt64 COMMENT 'LIVE bids',
  live_outputs UInt64 COMMENT 'Outputs that they offer: several orders may offer one',
  floor_sats Nullable(UInt64) COMMENT 'Lowest price of a LIVE ask in sats, postage included',
  best_bid_sats Nullable(UInt64) COMMENT 'Highest price of a LIVE bid in sats, postage included',
  asked_sats Decimal(38, 0) COMMENT 'Sum of the prices of the LIVE asks in sats'
) AS SELECT
  protocol_id,
  token,
  countIf(side = 'ASK') AS live_asks,
  countIf(side = 'BID') AS live_bids,
  uniqExact(outpoint) AS live_outputs,
  minIf(gross_price_sats, side = 'ASK') AS floor_sats,
  maxIf(gross_price_sats, side = 'BID') AS best_bid_sats,
  sumIf(toDecimal128(ifNull(gross_price_sats, 0), 0), side = 'ASK') AS asked_sats
FROM orders_current
WHERE state = 'LIVE' AND NOT is_hidden
GROUP BY protocol_id, token
COMMENT 'The market now, by market and token; orders that an operator hides are not in it';

CREATE VIEW IF NOT EXISTS stats_depth (
  protocol_id Nullable(String) COMMENT 'Market as last told; untrusted',
  token Nullable(String) COMMENT 'Token as last told; untrusted',
  side LowCardinality(String) COMMENT 'ASK or BID',
  price_sats UInt64 COMMENT 'Paid to the seller in sats, postage included',
  orders UInt64 COMMENT 'LIVE orders at this price',
  orders_up_to UInt64 COMMENT 'LIVE orders at this price or a better one: lower for asks, higher for bids',
  sats_up_to Decimal(38, 0) COMMENT 'Sum of their prices in sats'
) AS SELECT
  protocol_id,
  token,
  side,
  price_sats,
  orders,
  sum(orders) OVER better AS orders_up_to,
  sum(toDecimal128(price_sats, 0) * orders) OVER better AS sats_up_to
FROM (
  SELECT
    protocol_id,
    token,
    assumeNotNull(orders_current.side) AS side,
    assumeNotNull(gross_price_sats) AS price_sats,
    count() AS orders
  FROM orders_current
  WHERE state = 'LIVE' AND NOT is_hidden AND isNotNull(orders_current.side) AND isNotNull(gross_price_sats)
  GROUP BY protocol_id, token, side, price_sats
)
WINDOW better AS (
  PARTITION BY protocol_id, token, side ORDER BY if(side = 'BID', -1, 1) * toInt64(price_sats)
  ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
)
COMMENT 'LIVE orders by price';

-- An output is sold once: where one transaction settles several of its orders, the first counts.
CREATE VIEW IF NOT EXISTS stats_sales (
  order_id String COMMENT 'Order id: 64 hex digits',
  outpoint String COMMENT 'The sold output, txid:vout',
  txid String COMMENT 'Transaction that carries the exact payout',
  sold_at DateTime64(3, 'UTC') COMMENT 'When that was first seen',
  settled_at DateTime64(3, 'UTC') COMMENT 'When the order first became SETTLED by it',
  block_height Nullable(UInt32) COMMENT 'Height of its last known block',
  protocol_id Nullable(String) COMMENT 'Market as last told; untrusted; null if an operator hides the order',
  token Nullable(String) COMMENT 'Token as last told; untrusted; null if an operator hides the order',
  side Nullable(String) COMMENT 'ASK or BID',
  inscription_ids Array(String) COMMENT 'Inscriptions of the order',
  seller_script_hex Nullable(String) COMMENT 'Script of the sold output',
  gross_price_sats Nullable(UInt64) COMMENT 'Paid to the seller in sats, postage included',
  net_price_sats Nullable(Int64) COMMENT 'Paid to the seller less the postage, in sats',
  postage_sats Nullable(UInt64) COMMENT 'Value of the sold output in sats',
  first_live_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the order was first LIVE',
  is_taken_back Bool COMMENT 'True: a reorganisation took it back, and it is in no sum',
  is_counted Bool COMMENT 'True: it is in the sums, as the one sale of its output'
) AS SELECT
  order_id,
  outpoint,
  txid,
  sold_at,
  settled_at,
  block_height,
  if(is_hidden, NULL, protocol_id) AS protocol_id,
  if(is_hidden, NULL, token) AS token,
  side,
  inscription_ids,
  seller_script_hex,
  gross_price_sats,
  net_price_sats,
  postage_sats,
  first_live_at,
  toBool(NOT (state = 'SETTLED' AND ifNull(settlement_txid = txid, false))) AS is_taken_back,
  toBool(NOT is_taken_back AND row_number() OVER (
    PARTITION BY outpoint, is_taken_back ORDER BY created_at, order_id
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) = 1) AS is_counted
FROM (
  SELECT
    order_id,
    assumeNotNull(settlement_txid) AS txid,
    assumeNotNull(min(settlement_seen_at)) AS sold_at,
    min(observed_at) AS settled_at,
    argMaxIf(tuple(spend_height), seq, has(set_fields, 'spend')).1 AS block_height
  FROM order_transition_rows FINAL
  WHERE to_state = 'SETTLED' AND isNotNull(settlement_txid)
  GROUP BY order_id, settlement_txid
) AS settled
JOIN (
  SELECT * FROM orders_current
  WHERE order_id IN (SELECT order_id FROM order_transition_rows WHERE isNotNull(settlement_txid))
) AS orders USING (order_id)
COMMENT 'Settlements, those that a reorganisation took back marked';

CREATE VIEW IF NOT EXISTS stats_candles (
  interval LowCardinality(String) COMMENT 'hour, day or week; a week begins on Monday',
  start DateTime64(3, 'UTC') COMMENT 'When it begins',
  protocol_id Nullable(String) COMMENT 'Market as last told; untrusted',
  token Nullable(String) COMMENT 'Token as last told; untrusted',
  open_sats UInt64 COMMENT 'Price of the first sale in sats, postage included',
  high_sats UInt64 COMMENT 'Highest price in sats',
  low_sats UInt64 COMMENT 'Lowest price in sats',
  close_sats UInt64 COMMENT 'Price of the last sale in sats',
  volume_sats Decimal(38, 0) COMMENT 'Sum of the prices in sats',
  sales UInt64 COMMENT 'Number of sales'
) AS SELECT
  bucket.1 AS interval,
  bucket.2 AS start,
  protocol_id,
  token,
  argMin(price, (sold_at, order_id)) AS open_sats,
  max(price) AS high_sats,
  min(price) AS low_sats,
  argMax(price, (sold_at, order_id)) AS close_sats,
  sum(toDecimal128(price, 0)) AS volume_sats,
  count() AS sales
FROM (
  SELECT
    order_id,
    sold_at,
    protocol_id,
    token,
    assumeNotNull(gross_price_sats) AS price,
    arrayJoin([
      ('hour', toDateTime64(toStartOfHour(sold_at), 3, 'UTC')),
      ('day', toDateTime64(toStartOfDay(sold_at), 3, 'UTC')),
      ('week', toDateTime64(toMonday(sold_at), 3, 'UTC'))
    ]) AS bucket
  FROM stats_sales
  WHERE is_counted AND isNotNull(gross_price_sats)
)
GROUP BY interval, start, protocol_id, token
COMMENT 'Prices and volume of the sales by hour, day and week';

CREATE VIEW IF NOT EXISTS stats_inscription (
  inscription_id String COMMENT 'Inscription id',
  order_id String COMMENT 'Order id: 64 hex digits',
  seq UInt64 COMMENT 'Number of the change among those of its order',
  observed_at DateTime64(3, 'UTC') COMMENT 'When it was observed',
  from_state LowCardinality(Nullable(String)) COMMENT 'State before; null for the first change',
  to_state LowCardinality(String) COMMENT 'State after',
  reason String COMMENT 'Why, as a code',
  outpoint String COMMENT 'The offered output, txid:vout',
  side Nullable(String) COMMENT 'ASK or BID',
  gross_price_sats Nullable(UInt64) COMMENT 'Paid to the seller in sats, postage included',
  net_price_sats Nullable(Int64) COMMENT 'Paid to the seller less the postage, in sats',
  settlement_txid Nullable(String) COMMENT 'Transaction that carries the exact payout, where this change set it',
  is_taken_back Bool COMMENT 'True: it became SETTLED, and a reorganisation took that back'
) AS SELECT
  arrayJoin(orders.inscription_ids) AS inscription_id,
  changes.order_id AS order_id,
  changes.seq AS seq,
  changes.observed_at AS observed_at,
  changes.from_state AS from_state,
  changes.to_state AS to_state,
  changes.reason AS reason,
  changes.outpoint AS outpoint,
  orders.side AS side,
  orders.gross_price_sats AS gross_price_sats,
  orders.net_price_sats AS net_price_sats,
  changes.settlement_txid AS settlement_txid,
  toBool(changes.to_state = 'SETTLED' AND NOT (
    orders.state = 'SETTLED' AND ifNull(orders.settlement_txid = changes.settlement_txid, false)
  )) AS is_taken_back
FROM order_transition_rows AS changes FINAL
JOIN orders_current AS orders USING (order_id)
WHERE changes.kind = 'transition'
COMMENT 'What the orders of an inscription went through';

-- An order left the market when its state changed, not when it was last told of.
CREATE VIEW IF NOT EXISTS stats_sellers (
  day Date COMMENT 'Day in UTC',
  seller_script_hex String COMMENT 'Script of the offered output',
  listed UInt64 COMMENT 'Orders that were first told of on this day',
  sold UInt64 COMMENT 'Sales of this day',
  sold_sats Decimal(38, 0) COMMENT 'Sum of their prices in sats, postage included',
  withdrawn UInt64 COMMENT 'Orders that are WITHDRAWN since this day',
  spent_elsewhere UInt64 COMMENT 'Orders that are SPENT since this day'
) AS SELECT
  event.1 AS day,
  assumeNotNull(orders.seller_script_hex) AS seller_script_hex,
  countIf(event.2 = 'listed') AS listed,
  countIf(event.2 = 'sold') AS sold,
  sumIf(toDecimal128(ifNull(price, 0), 0), event.2 = 'sold') AS sold_sats,
  countIf(event.2 = 'withdrawn') AS withdrawn,
  countIf(event.2 = 'spent') AS spent_elsewhere
FROM (
  SELECT
    seller_script_hex,
    quoted_price_sats AS price,
    arrayJoin(arrayConcat(
      [(toDate(created_at), 'listed')],
      if(state = 'WITHDRAWN', [(toDate(state_since), 'withdrawn')], []),
      if(state = 'SPENT', [(toDate(state_since), 'spent')], [])
    )) AS event
  FROM orders_current
  WHERE isNotNull(seller_script_hex)
  UNION ALL
  SELECT seller_script_hex, gross_price_sats AS price, (toDate(sold_at), 'sold') AS event
  FROM stats_sales
  WHERE is_counted AND isNotNull(seller_script_hex)
) AS orders
GROUP BY day, seller_script_hex
COMMENT 'What sellers listed and sold, by day';

CREATE VIEW IF NOT EXISTS stats_time_to_settle (
  day Date COMMENT 'Day of the sales in UTC',
  protocol_id Nullable(String) COMMENT 'Market as last told; untrusted',
  token Nullable(String) COMMENT 'Token as last told; untrusted',
  sales UInt64 COMMENT 'Sales of orders that were LIVE before',
  median_seconds Int64 COMMENT 'Median of the seconds from first LIVE to first seen sold',
  p90_seconds Int64 COMMENT 'What nine in ten of them do not exceed',
  longest_seconds Int64 COMMENT 'The longest'
) AS SELECT
  toDate(sold_at) AS day,
  protocol_id,
  token,
  count() AS sales,
  quantileExact(0.5)(seconds) AS median_seconds,
  quantileExact(0.9)(seconds) AS p90_seconds,
  max(seconds) AS longest_seconds
FROM (
  SELECT sold_at, protocol_id, token, assumeNotNull(dateDiff('second', first_live_at, sold_at)) AS seconds
  FROM stats_sales
  WHERE is_counted AND isNotNull(first_live_at)
)
WHERE seconds >= 0
GROUP BY day, protocol_id, token
COMMENT 'How long orders were LIVE until they were sold, by day of the sale';

CREATE VIEW IF NOT EXISTS stats_conflicts (
  day Date COMMENT 'Day in UTC',
  kind LowCardinality(String) COMMENT 'conflict: an order became MEMPOOL_CONFLICTED; replacement: another transaction took the place of its spender; release: the spender is gone; taken_back: an order is no longer SETTLED',
  events UInt64 COMMENT 'How often',
  orders UInt64 COMMENT 'Of how many orders'
) AS SELECT toDate(observed_at) AS day, arrayJoin(kinds) AS kind, count() AS events, uniqExact(order_id) AS orders
FROM (
  SELECT
    order_id,
    observed_at,
    if(isNull(spend_txid), ['release'], ['replacement']) AS kinds
  FROM (
    SELECT
      order_id,
      observed_at,
      spend_txid,
      lagInFrame(spend_txid, 1, NULL) OVER (
        PARTITION BY order_id ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS spend_before
    FROM order_transition_rows FINAL
    WHERE has(set_fields, 'spend')
  )
  WHERE isNotNull(spend_before) AND spend_before IS DISTINCT FROM spend_txid
  UNION ALL
  SELECT
    order_id,
    observed_at,
    arrayConcat(
      if(to_state = 'MEMPOOL_CONFLICTED', ['conflict'], []),
      if(ifNull(from_state = 'SETTLED', false), ['taken_back'], [])
    ) AS kinds
  FROM order_transition_rows FINAL
  WHERE kind = 'transition' AND ifNull(from_state, '') != to_state
)
GROUP BY day, kind
COMMENT 'Conflicts, replacements and settlements taken back, by day';

CREATE VIEW IF NOT EXISTS stats_verdicts (
  day Date COMMENT 'Day in UTC',
  state LowCardinality(String) COMMENT 'State of the order after',
  reason String COMMENT 'Why, as a code without its detail',
  verdicts UInt64 COMMENT 'How often',
  orders UInt64 COMMENT 'Of how many orders'
) AS SELECT
  toDate(observed_at) AS day,
  to_state AS state,
  splitByChar(' ', changes.reason)[1] AS reason,
  count() AS verdicts,
  uniqExact(order_id) AS orders
FROM order_transition_rows AS changes FINAL
WHERE is_verdict OR (seq = 1 AND to_state = 'REJECTED')
GROUP BY day, state, reason
COMMENT 'Verdicts of the authorities, and refusals by the inspection alone, by day and reason';

CREATE VIEW IF NOT EXISTS stats_sources (
  day Date COMMENT 'Day on which the orders were first told of, in UTC',
  source LowCardinality(String) COMMENT 'Who told of them: portable-nostr802, asset-offers or direct-import',
  orders UInt64 COMMENT 'Orders that it told of',
  first_told UInt64 COMMENT 'Orders that it told of first',
  duplicates UInt64 COMMENT 'How often it told of an order that was told of before, itself included; of one order, 100 are counted beyond the 32 that it keeps',
  valid UInt64 COMMENT 'Orders that were LIVE once',
  stale UInt64 COMMENT 'Orders that never were: their output is spent or missing',
  fake UInt64 COMMENT 'Orders that never were: refused for another reason',
  undecided UInt64 COMMENT 'Orders that are neither',
  median_lag_ms Nullable(Int64) COMMENT 'Median of the milliseconds from first told to first verdict, of those that it told of first',
  longest_lag_ms Nullable(Int64) COMMENT 'The longest'
) AS SELECT
  day,
  source,
  uniqExact(order_id) AS orders,
  countIf(place = 1) AS first_told,
  countIf(place > 1) AS duplicates,
  uniqExactIf(order_id, fate = 'valid') AS valid,
  uniqExactIf(order_id, fate = 'stale') AS stale,
  uniqExactIf(order_id, fate = 'fake') AS fake,
  uniqExactIf(order_id, fate = 'undecided') AS undecided,
  quantileExactIf(0.5)(lag_ms, place = 1) AS median_lag_ms,
  maxIf(lag_ms, place = 1) AS longest_lag_ms
FROM (
  SELECT
    order_id,
    toDate(created_at) AS day,
    lag_ms,
    multiIf(
      isNotNull(first_live_at), 'valid',
      state IN ('MEMPOOL_CONFLICTED', 'SPENT', 'SETTLED'), 'stale',
      state = 'REJECTED' AND splitByChar(' ', reason)[1] = 'outpoint_missing', 'stale',
      state = 'REJECTED', 'fake',
      'undecided'
    ) AS fate,
    arrayJoin(arrayConcat(
      arrayZip(sources, arrayEnumerate(sources)),
      arrayMap(source -> (source, toUInt32(length(sources) + 1)), beyond)
    )) AS telling,
    telling.1 AS source,
    telling.2 AS place
  FROM orders_current
  LEFT JOIN (
    SELECT order_id, groupArray(CAST(substring(actor, 8), 'String')) AS beyond
    FROM order_transition_rows FINAL
    WHERE seq > 1 AND has(set_fields, 'sourcesDropped') AND startsWith(actor, 'import:')
    GROUP BY order_id
  ) AS counted USING (order_id)
)
GROUP BY day, source
COMMENT 'What became of the orders that a source told of, by day';

-- An order's history has versions: what its changes up to one had made of it. A version is in force from
-- when its change and all before it were observed, until the next one is: so it is always the first changes
-- that are in force, whatever the clocks said.
CREATE VIEW IF NOT EXISTS order_versions (
  order_id String COMMENT 'Order id: 64 hex digits',
  seq UInt64 COMMENT 'Number of the change that made it',
  in_force_from DateTime64(3, 'UTC') COMMENT 'When that change and all before it had been observed',
  in_force_until Nullable(DateTime64(3, 'UTC')) COMMENT 'When the next version came into force; null: it is in force. The same time: it never was',
  kind LowCardinality(String) COMMENT 'transition, verified or noted',
  from_state LowCardinality(Nullable(String)) COMMENT 'State before; null for the first change',
  state LowCardinality(String) COMMENT 'State in this version',
  reason String COMMENT 'Why, as a code',
  actor String COMMENT 'Who caused it: reconciler, seller, operator, import:<source>',
  cause LowCardinality(String) COMMENT 'Kind of the inbox record behind it: command, evidence, spend, output, watermark',
  observed_at DateTime64(3, 'UTC') COMMENT 'When the change was observed',
  outpoint String COMMENT 'The offered output, txid:vout',
  protocol_id Nullable(String) COMMENT 'Market in this version; untrusted',
  token Nullable(String) COMMENT 'Token in this version; untrusted',
  side Nullable(String) COMMENT 'ASK or BID',
  quoted_price_sats Nullable(UInt64) COMMENT 'Signed price in sats: of an ask with the postage, of a bid without it',
  gross_price_sats Nullable(UInt64) COMMENT 'Paid to the seller in sats, postage included',
  net_price_sats Nullable(Int64) COMMENT 'Paid to the seller less the postage, in sats',
  postage_sats Nullable(UInt64) COMMENT 'Value of the offered output in sats; null until the node told it',
  seller_script_hex Nullable(String) COMMENT 'Script of the offered output',
  inscription_ids Array(String) COMMENT 'Inscriptions of the order',
  spend_txid Nullable(String) COMMENT 'Spender of the offered output',
  spend_height Nullable(UInt32) COMMENT 'Height of its block; null in the mempool',
  settlement_txid Nullable(String) COMMENT 'Transaction that carries the exact payout',
  is_hidden Bool COMMENT 'True: an operator hid it in this version',
  is_hidden_now Bool COMMENT 'True: an operator hides it in its last version',
  prev_hash Nullable(String) COMMENT 'Hash of the change before',
  hash String COMMENT 'SHA-256 of the RFC 8785 form of the change without this field',
  log_partition UInt32 COMMENT 'Partition of the lifecycle log',
  log_offset UInt64 COMMENT 'Offset in that partition'
) AS SELECT
  changes.order_id AS order_id,
  changes.seq AS seq,
  max(changes.observed_at) OVER upto AS in_force_from,
  if(
    isNull(leadInFrame(toNullable(changes.observed_at), 1, NULL) OVER whole),
    NULL,
    greatest(in_force_from, assumeNotNull(leadInFrame(toNullable(changes.observed_at), 1, NULL) OVER whole))
  ) AS in_force_until,
  changes.kind AS kind,
  changes.from_state AS from_state,
  changes.to_state AS state,
  changes.reason AS reason,
  changes.actor AS actor,
  changes.cause AS cause,
  changes.observed_at AS observed_at,
  changes.outpoint AS outpoint,
  argMaxIf(tuple(changes.protocol_id), changes.seq, isNotNull(changes.protocol_id) OR has(changes.unset, 'protocolId')) OVER upto.1 AS protocol_id,
  argMaxIf(tuple(changes.token), changes.seq, isNotNull(changes.token) OR has(changes.unset, 'token')) OVER upto.1 AS token,
  argMaxIf(tuple(changes.side), changes.seq, isNotNull(changes.side) OR has(changes.unset, 'side')) OVER upto.1 AS side,
  argMaxIf(tuple(changes.quoted_price_sats), changes.seq, isNotNull(changes.quoted_price_sats) OR has(changes.unset, 'quotedPriceSats')) OVER upto.1 AS quoted_price_sats,
  if(side = 'BID', quoted_price_sats + postage_sats, quoted_price_sats) AS gross_price_sats,
  toInt64(gross_price_sats) - toInt64(postage_sats) AS net_price_sats,
  argMaxIf(tuple(changes.postage_sats), changes.seq, isNotNull(changes.postage_sats)) OVER upto.1 AS postage_sats,
  argMaxIf(tuple(changes.seller_script_hex), changes.seq, isNotNull(changes.seller_script_hex) OR has(changes.unset, 'sellerScriptHex')) OVER upto.1 AS seller_script_hex,
  argMaxIf(changes.inscription_ids, changes.seq, has(changes.set_fields, 'assets')) OVER upto AS inscription_ids,
  argMaxIf(tuple(changes.spend_txid), changes.seq, has(changes.set_fields, 'spend')) OVER upto.1 AS spend_txid,
  argMaxIf(tuple(changes.spend_height), changes.seq, has(changes.set_fields, 'spend')) OVER upto.1 AS spend_height,
  argMaxIf(tuple(changes.settlement_txid), changes.seq, isNotNull(changes.settlement_txid) OR has(changes.unset, 'settlement')) OVER upto.1 AS settlement_txid,
  toBool(argMaxIf(has(changes.set_fields, 'hidden'), changes.seq, has(changes.set_fields, 'hidden') OR has(changes.unset, 'hidden')) OVER upto) AS is_hidden,
  toBool(argMaxIf(has(changes.set_fields, 'hidden'), changes.seq, has(changes.set_fields, 'hidden') OR has(changes.unset, 'hidden')) OVER whole) AS is_hidden_now,
  changes.prev_hash AS prev_hash,
  changes.hash AS hash,
  changes.log_partition AS log_partition,
  changes.log_offset AS log_offset
FROM order_transition_rows AS changes FINAL
WINDOW
  upto AS (PARTITION BY changes.order_id ORDER BY changes.seq ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
  whole AS (PARTITION BY changes.order_id ORDER BY changes.seq ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
COMMENT 'Every version of every order, and when it was in force';

CREATE VIEW IF NOT EXISTS stats_book (
  order_id String COMMENT 'Order id: 64 hex digits',
  seq UInt64 COMMENT 'Number of the change that made this version',
  in_force_from DateTime64(3, 'UTC') COMMENT 'From when this version was in force',
  in_force_until Nullable(DateTime64(3, 'UTC')) COMMENT 'Until when, excluded; null: it is in force',
  outpoint String COMMENT 'The offered output, txid:vout',
  protocol_id Nullable(String) COMMENT 'Market in this version; untrusted; null if an operator hides the order now',
  token Nullable(String) COMMENT 'Token in this version; untrusted; null if an operator hides the order now',
  side Nullable(String) COMMENT 'ASK or BID',
  gross_price_sats Nullable(UInt64) COMMENT 'Paid to the seller in sats, postage included',
  net_price_sats Nullable(Int64) COMMENT 'Paid to the seller less the postage, in sats',
  postage_sats Nullable(UInt64) COMMENT 'Value of the offered output in sats',
  seller_script_hex Nullable(String) COMMENT 'Script of the offered output',
  inscription_ids Array(String) COMMENT 'Inscriptions of the order'
) AS SELECT
  order_id,
  seq,
  in_force_from,
  in_force_until,
  outpoint,
  if(is_hidden_now, NULL, protocol_id) AS protocol_id,
  if(is_hidden_now, NULL, token) AS token,
  side,
  gross_price_sats,
  net_price_sats,
  postage_sats,
  seller_script_hex,
  inscription_ids
FROM order_versions
WHERE state = 'LIVE' AND NOT is_hidden AND ifNull(in_force_until > in_force_from, true)
COMMENT 'Versions in which an order was LIVE and shown: those in force at a time are the book of then';

-- Rows that come again name the same heights at the same times.
CREATE VIEW IF NOT EXISTS named_heights (
  height UInt32 COMMENT 'Height of a block',
  named_at DateTime64(3, 'UTC') COMMENT 'When the node was first asked at this tip, or first told of a spend in this block'
) AS SELECT height, min(named_at) AS named_at
FROM (
  SELECT assumeNotNull(tip_height) AS height, verified_at AS named_at
  FROM verification_rows WHERE isNotNull(tip_height)
  UNION ALL
  SELECT assumeNotNull(spend_height) AS height, observed_at AS named_at
  FROM order_transition_rows WHERE isNotNull(spend_height)
)
GROUP BY height
COMMENT 'Heights of blocks, by when the history first named them';
