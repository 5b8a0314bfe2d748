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
  if(
    side = 'BID',
    (argMaxIf(tuple(changes.quoted_price_sats), changes.seq, isNotNull(changes.quoted_price_sats) OR has(changes.unset, 'quotedPriceSats')) OVER upto.1 AS signed_price_sats) + postage_sats,
    signed_price_sats
  ) AS gross_price_sats,
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
