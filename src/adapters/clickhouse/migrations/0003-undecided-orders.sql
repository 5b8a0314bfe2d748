-- needs 0001
-- A bid whose funding was spent is stale, as an ask whose output is; and what was refused without an answer
-- about it is undecided. Both counted as fake before.
CREATE OR REPLACE VIEW stats_sources (
  day Date COMMENT 'Day on which the orders were first told of, in UTC',
  source LowCardinality(String) COMMENT 'Who told of them: portable-nostr802, asset-offers or direct-import',
  orders UInt64 COMMENT 'Orders that it told of',
  first_told UInt64 COMMENT 'Orders that it told of first',
  duplicates UInt64 COMMENT 'How often it told of an order that was told of before, itself included; of one order, 100 are counted beyond the 32 that it keeps',
  valid UInt64 COMMENT 'Orders that were LIVE once',
  stale UInt64 COMMENT 'Orders that never were: their output, or an output of a bid, is spent or missing',
  fake UInt64 COMMENT 'Orders that never were: refused for what is wrong with them',
  undecided UInt64 COMMENT 'All others: still pending, withdrawn, or REJECTED without an answer, such as made_room',
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
      state != 'REJECTED', 'undecided',
      splitByChar(' ', reason)[1] IN ('outpoint_missing', 'bid_funding_spent'), 'stale',
      splitByChar(' ', reason)[1] IN ('made_room', 'signature_unverifiable', 'signature_beyond_bound', 'too_many_inscriptions'), 'undecided',
      'fake'
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
COMMENT 'What became of the orders that a source told of, by day'
