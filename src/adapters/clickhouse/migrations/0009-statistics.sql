-- What `market query` and GET /stats read. Sums of sats are Decimal: no sum of them goes through a
-- float or runs over. The text of an order that an operator hides is in none of them.

CREATE VIEW IF NOT EXISTS stats_market (
  protocol_id Nullable(String) COMMENT 'Market as last told; untrusted',
  token Nullable(String) COMMENT 'Token as last told; untrusted',
  live_asks UInt64 COMMENT 'LIVE asks',
  live_bids UInt64 COMMENT 'LIVE bids',
  live_outputs UInt64 COMMENT 'Outputs that they offer: several orders may offer one',
  floor_sats Nullable(UInt64) COMMENT 'Lowest price of a LIVE ask in sats, postage included',
  best_bid_sats Nullable(UInt64) COMMENT 'Highest price of a LIVE bid in sats',
  asked_sats Decimal(38, 0) COMMENT 'Sum of the prices of the LIVE asks in sats'
) AS SELECT
  protocol_id,
  token,
  countIf(side = 'ASK') AS live_asks,
  countIf(side = 'BID') AS live_bids,
  uniqExact(outpoint) AS live_outputs,
  minIf(quoted_price_sats, side = 'ASK') AS floor_sats,
  maxIf(quoted_price_sats, side = 'BID') AS best_bid_sats,
  sumIf(toDecimal128(ifNull(quoted_price_sats, 0), 0), side = 'ASK') AS asked_sats
FROM orders_current
WHERE state = 'LIVE' AND NOT is_hidden
GROUP BY protocol_id, token
COMMENT 'The market now, by market and token; orders that an operator hides are not in it';

CREATE VIEW IF NOT EXISTS stats_depth (
  protocol_id Nullable(String) COMMENT 'Market as last told; untrusted',
  token Nullable(String) COMMENT 'Token as last told; untrusted',
  side LowCardinality(String) COMMENT 'ASK or BID',
  price_sats UInt64 COMMENT 'Signed price in sats, postage included',
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
    assumeNotNull(quoted_price_sats) AS price_sats,
    count() AS orders
  FROM orders_current
  WHERE state = 'LIVE' AND NOT is_hidden AND isNotNull(orders_current.side) AND isNotNull(quoted_price_sats)
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
  gross_price_sats Nullable(UInt64) COMMENT 'Signed price in sats, postage included',
  net_price_sats Nullable(Int64) COMMENT 'Signed price less postage, in sats',
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
  quoted_price_sats AS gross_price_sats,
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
  start DateTime('UTC') COMMENT 'When it begins',
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
      ('hour', toDateTime(toStartOfHour(sold_at), 'UTC')),
      ('day', toDateTime(toStartOfDay(sold_at), 'UTC')),
      ('week', toDateTime(toMonday(sold_at), 'UTC'))
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
  gross_price_sats Nullable(UInt64) COMMENT 'Signed price in sats, postage included',
  net_price_sats Nullable(Int64) COMMENT 'Signed price less postage, in sats',
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
  orders.quoted_price_sats AS gross_price_sats,
  orders.net_price_sats AS net_price_sats,
  changes.settlement_txid AS settlement_txid,
  toBool(changes.to_state = 'SETTLED' AND NOT (
    orders.state = 'SETTLED' AND ifNull(orders.settlement_txid = changes.settlement_txid, false)
  )) AS is_taken_back
FROM order_transition_rows AS changes FINAL
JOIN orders_current AS orders USING (order_id)
WHERE changes.kind = 'transition'
COMMENT 'What the orders of an inscription went through';

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
      if(state = 'WITHDRAWN', [(toDate(updated_at), 'withdrawn')], []),
      if(state = 'SPENT', [(toDate(updated_at), 'spent')], [])
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
  duplicates UInt64 COMMENT 'How often it told of an order that was told of before, itself included',
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
    arrayJoin(arrayZip(sources, arrayEnumerate(sources))) AS telling,
    telling.1 AS source,
    telling.2 AS place
  FROM orders_current
)
GROUP BY day, source
COMMENT 'What became of the orders that a source told of, by day';
