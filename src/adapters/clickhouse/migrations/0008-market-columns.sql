-- Rows of before have form 0, and the projector writes them again from the log (ADR 64). A position
-- noted by an earlier release has form 0 too, and counts for nothing.

ALTER TABLE order_transition_rows
  ADD COLUMN IF NOT EXISTS form UInt8,
  ADD COLUMN IF NOT EXISTS set_fields Array(LowCardinality(String)),
  ADD COLUMN IF NOT EXISTS is_verdict Bool,
  ADD COLUMN IF NOT EXISTS inscription_ids Array(String),
  ADD COLUMN IF NOT EXISTS sources Array(LowCardinality(String)),
  ADD COLUMN IF NOT EXISTS feed LowCardinality(Nullable(String)),
  ADD COLUMN IF NOT EXISTS lag_ms Nullable(Int64),
  ADD COLUMN IF NOT EXISTS postage_sats Nullable(UInt64),
  ADD COLUMN IF NOT EXISTS net_price_sats Nullable(Int64),
  ADD COLUMN IF NOT EXISTS spend_txid Nullable(String),
  ADD COLUMN IF NOT EXISTS spend_height Nullable(UInt32),
  ADD COLUMN IF NOT EXISTS settlement_txid Nullable(String),
  ADD COLUMN IF NOT EXISTS settlement_seen_at Nullable(DateTime64(3, 'UTC')),
  ADD INDEX IF NOT EXISTS by_inscription inscription_ids TYPE bloom_filter GRANULARITY 1;

CREATE OR REPLACE VIEW order_transitions (
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
  quoted_price_sats Nullable(UInt64) COMMENT 'Signed price in sats, postage included (gross), where this change set it',
  seller_script_hex Nullable(String) COMMENT 'Script of the offered output, where this change set it',
  set_fields Array(LowCardinality(String)) COMMENT 'Fields that this change set, as the log names them',
  unset Array(LowCardinality(String)) COMMENT 'Fields that the order no longer has, as the log names them',
  is_verdict Bool COMMENT 'True: the authorities had been asked',
  inscription_ids Array(String) COMMENT 'Inscriptions of the order, where this change set its assets',
  sources Array(LowCardinality(String)) COMMENT 'Who told of the order, first to last, where this change set its sources',
  feed LowCardinality(Nullable(String)) COMMENT 'The last of them',
  lag_ms Nullable(Int64) COMMENT 'Milliseconds from when that one told of it to this change',
  postage_sats Nullable(UInt64) COMMENT 'Value of the offered output in sats, where the node told it with this change',
  net_price_sats Nullable(Int64) COMMENT 'Signed price less postage, where both are of this change',
  spend_txid Nullable(String) COMMENT 'Spender of the offered output, where this change set it',
  spend_height Nullable(UInt32) COMMENT 'Height of its block; null in the mempool',
  settlement_txid Nullable(String) COMMENT 'Transaction that carries the exact payout, where this change set it',
  settlement_seen_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When that was first seen',
  prev_hash Nullable(String) COMMENT 'Hash of the change before',
  hash String COMMENT 'SHA-256 of the RFC 8785 form of the change without this field',
  log_partition UInt32 COMMENT 'Partition of the lifecycle log',
  log_offset UInt64 COMMENT 'Offset in that partition'
) AS SELECT * FROM order_transition_rows FINAL
COMMENT 'Every change record of the lifecycle log';

-- The last word on a field is the last change that set or removed it.
CREATE OR REPLACE VIEW orders_current (
  order_id String COMMENT 'Order id: 64 hex digits',
  seq UInt64 COMMENT 'Number of its last change',
  outpoint String COMMENT 'The offered output, txid:vout',
  state String COMMENT 'State now',
  reason String COMMENT 'Why, as a code',
  protocol_id Nullable(String) COMMENT 'Discovery metadata as last told; untrusted',
  token Nullable(String) COMMENT 'Discovery metadata as last told; untrusted',
  side Nullable(String) COMMENT 'ASK or BID',
  quoted_price_sats Nullable(UInt64) COMMENT 'Signed price in sats, postage included (gross)',
  postage_sats Nullable(UInt64) COMMENT 'Value of the offered output in sats; null until the node told it',
  net_price_sats Nullable(Int64) COMMENT 'Signed price less postage, in sats',
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
  updated_at DateTime64(3, 'UTC') COMMENT 'Time of its last change'
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
  toInt64(quoted_price_sats) - toInt64(postage_sats) AS net_price_sats,
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
  argMax(changes.observed_at, changes.seq) AS updated_at
FROM order_transition_rows AS changes FINAL
GROUP BY changes.order_id
COMMENT 'Each order as its changes left it';

ALTER TABLE position_rows
  ADD COLUMN IF NOT EXISTS form UInt8 COMMENT 'Form of the rows below it';
