-- The signed price of an ask includes the postage, that of a bid does not: gross and net are the same
-- figures for both.

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

CREATE OR REPLACE VIEW orders_current (
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
  argMax(changes.observed_at, changes.seq) AS updated_at
FROM order_transition_rows AS changes FINAL
GROUP BY changes.order_id
COMMENT 'Each order as its changes left it';

CREATE OR REPLACE VIEW stats_market (
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

CREATE OR REPLACE VIEW stats_depth (
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

CREATE OR REPLACE VIEW stats_sales (
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

CREATE OR REPLACE VIEW stats_inscription (
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
