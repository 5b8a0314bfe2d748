-- needs 0001
-- What was sold before this service knew of it counted as sold here, on the day it was told of. A sale that
-- holds has each change to LIVE before it, so it is enough that there is one. An output is sold once: where
-- one transaction settles several of its orders that were LIVE, the first counts.
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
  first_live_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the order was first LIVE; null: never, and it is in no sum',
  is_taken_back Bool COMMENT 'True: a reorganisation took it back, and it is in no sum',
  is_counted Bool COMMENT 'True: it is in the sums, as the one sale of its output: of an order that was LIVE here before'
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
  toBool(NOT is_taken_back AND isNotNull(first_live_at) AND row_number() OVER (
    PARTITION BY outpoint, is_taken_back, isNull(first_live_at) ORDER BY created_at, order_id
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

-- Bids on an output are what strangers offer for it. Of several orders of an output that one sale buys, the
-- others are SPENT: it was not spent elsewhere. An order left the market when its state changed, not when it
-- was last told of.
CREATE OR REPLACE VIEW stats_sellers (
  day Date COMMENT 'Day in UTC',
  seller_script_hex String COMMENT 'Script of the offered output',
  listed UInt64 COMMENT 'Asks that were first told of on this day',
  sold UInt64 COMMENT 'Sales of this day',
  sold_sats Decimal(38, 0) COMMENT 'Sum of their prices in sats, postage included',
  withdrawn UInt64 COMMENT 'Asks that are WITHDRAWN since this day',
  spent_elsewhere UInt64 COMMENT 'Asks that are SPENT since this day, whose output no sale spent'
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
      if(state = 'SPENT' AND NOT is_sold, [(toDate(state_since), 'spent')], [])
    )) AS event
  FROM (
    SELECT
      seller_script_hex,
      quoted_price_sats,
      side,
      state,
      created_at,
      state_since,
      max(state = 'SETTLED') OVER (PARTITION BY outpoint) AS is_sold
    FROM orders_current
  )
  WHERE isNotNull(seller_script_hex) AND side = 'ASK'
  UNION ALL
  SELECT seller_script_hex, gross_price_sats AS price, (toDate(sold_at), 'sold') AS event
  FROM stats_sales
  WHERE is_counted AND isNotNull(seller_script_hex)
) AS orders
GROUP BY day, seller_script_hex
COMMENT 'What sellers listed and sold, by day'
