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
  quoted_price_sats Nullable(UInt64) COMMENT 'Signed price in sats',
  seller_script_hex Nullable(String) COMMENT 'Script of the offered output',
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
  argMaxIf(tuple(changes.seller_script_hex), changes.seq, isNotNull(changes.seller_script_hex) OR has(changes.unset, 'sellerScriptHex')).1 AS seller_script_hex,
  min(changes.observed_at) AS created_at,
  argMax(changes.observed_at, changes.seq) AS updated_at
FROM order_transition_rows AS changes FINAL
GROUP BY changes.order_id
COMMENT 'Each order as its changes left it';
