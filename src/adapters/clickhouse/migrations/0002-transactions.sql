-- needs 0001
-- Orders by the transaction that bought or spent their output. A release that knows the baseline alone goes
-- on beside it: its rows are indexed too, and it asks nothing of the view.
ALTER TABLE order_transition_rows
  ADD INDEX IF NOT EXISTS by_spend spend_txid TYPE bloom_filter GRANULARITY 1,
  ADD INDEX IF NOT EXISTS by_settlement settlement_txid TYPE bloom_filter GRANULARITY 1;

-- Of rows written before. It runs in the background: until then they are found without it.
ALTER TABLE order_transition_rows MATERIALIZE INDEX by_spend, MATERIALIZE INDEX by_settlement;

CREATE VIEW IF NOT EXISTS stats_transaction (
  txid String COMMENT 'Transaction',
  order_id String COMMENT 'Order id: 64 hex digits',
  seq UInt64 COMMENT 'Number of the change of its order that names the transaction',
  observed_at DateTime64(3, 'UTC') COMMENT 'When that was observed',
  did LowCardinality(String) COMMENT 'sale: it carries the exact payout; spend: it spends the offered output, and no more is known',
  block_height Nullable(UInt32) COMMENT 'Height of its block; null in the mempool',
  from_state LowCardinality(Nullable(String)) COMMENT 'State before; null for the first change',
  to_state LowCardinality(String) COMMENT 'State after',
  reason String COMMENT 'Why, as a code',
  outpoint String COMMENT 'The offered output, txid:vout',
  side Nullable(String) COMMENT 'ASK or BID',
  gross_price_sats Nullable(UInt64) COMMENT 'Paid to the seller in sats, postage included',
  net_price_sats Nullable(Int64) COMMENT 'Paid to the seller less the postage, in sats',
  is_current Bool COMMENT 'True: it is what spends the output now; false: it was replaced, is gone, or a reorganisation took it back'
) AS SELECT
  assumeNotNull(arrayJoin(arrayDistinct(arrayFilter(named -> isNotNull(named), [changes.spend_txid, changes.settlement_txid])))) AS txid,
  changes.order_id AS order_id,
  changes.seq AS seq,
  changes.observed_at AS observed_at,
  if(ifNull(changes.settlement_txid = txid, false), 'sale', 'spend') AS did,
  if(ifNull(changes.spend_txid = txid, false), changes.spend_height, NULL) AS block_height,
  changes.from_state AS from_state,
  changes.to_state AS to_state,
  changes.reason AS reason,
  changes.outpoint AS outpoint,
  orders.side AS side,
  orders.gross_price_sats AS gross_price_sats,
  orders.net_price_sats AS net_price_sats,
  toBool(ifNull(orders.spend_txid = txid, false)) AS is_current
FROM order_transition_rows AS changes FINAL
JOIN orders_current AS orders USING (order_id)
WHERE isNotNull(changes.spend_txid) OR isNotNull(changes.settlement_txid)
COMMENT 'What a transaction did to orders: each change that names it as what bought or spent their output';
