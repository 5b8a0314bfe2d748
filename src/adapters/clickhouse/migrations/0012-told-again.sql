-- What of the figures of strangers was wrong: an order left the market when its state changed, not when
-- it was last told of; who told of it beyond the sources that it keeps did so too; a version has its
-- signed price; and a candle begins at a time of the same form as every other.

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

CREATE OR REPLACE VIEW order_versions (
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

CREATE OR REPLACE VIEW stats_sellers (
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

CREATE OR REPLACE VIEW stats_sources (
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

CREATE OR REPLACE VIEW stats_candles (
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
