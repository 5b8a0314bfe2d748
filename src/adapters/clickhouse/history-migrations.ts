/** One step of the schema. What was applied once is never edited: a change is a new step. */
export interface Migration {
  version: number
  name: string
  statements: readonly string[]
}

// Rows come again after a failure and after a restart, so every table keeps one row for a key and is
// read through FINAL. An insert is on disk when it is acknowledged: batches are large and rare.
const REPLACING = (orderBy: string) =>
  `ENGINE = ReplacingMergeTree ORDER BY (${orderBy})
   SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

const CHANGE_KEY = `
  order_id String COMMENT 'Order id: 64 hex digits',
  seq UInt64 COMMENT 'Number of the change among those of its order, from 1 without gaps'`

const TRANSITION = `${CHANGE_KEY},
  from_state LowCardinality(Nullable(String)) COMMENT 'State before; null for the first change',
  to_state LowCardinality(String) COMMENT 'State after',
  reason String COMMENT 'Why, as a code',
  actor String COMMENT 'Who caused it: reconciler, seller, operator, import:<source>',
  observed_at DateTime64(3, 'UTC') COMMENT 'When it was observed'`

export const HISTORY_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'changes of orders',
    statements: [
      `CREATE TABLE IF NOT EXISTS market.order_transitions (${TRANSITION},
        kind LowCardinality(String) COMMENT 'transition, verified or noted',
        outpoint String COMMENT 'The offered output, txid:vout',
        protocol_id Nullable(String) COMMENT 'Discovery metadata, where this change set it',
        token Nullable(String) COMMENT 'Discovery metadata, where this change set it',
        side LowCardinality(Nullable(String)) COMMENT 'ASK or BID, where this change set it',
        quoted_price_sats Nullable(UInt64) COMMENT 'Signed price in sats, where this change set it',
        seller_script_hex Nullable(String) COMMENT 'Script of the offered output, where this change set it',
        prev_hash Nullable(String) COMMENT 'Hash of the change before',
        hash String COMMENT 'SHA-256 of the RFC 8785 form of the change without this field',
        log_partition UInt32 COMMENT 'Partition of the lifecycle log',
        log_offset UInt64 COMMENT 'Offset in that partition'
      ) ${REPLACING('order_id, seq')}
      COMMENT 'Every change record of the lifecycle log'`,

      `CREATE TABLE IF NOT EXISTS market.activity (${TRANSITION})
      ${REPLACING('observed_at, order_id, seq')}
      COMMENT 'Transitions by time: what GET /activity reads'`,

      `CREATE MATERIALIZED VIEW IF NOT EXISTS market.activity_feed TO market.activity AS
      SELECT order_id, seq, from_state, to_state, reason, actor, observed_at
      FROM market.order_transitions WHERE kind = 'transition'`,

      `CREATE VIEW IF NOT EXISTS market.orders_current AS
      SELECT
        order_id,
        max(transitions.seq) AS seq,
        any(outpoint) AS outpoint,
        argMax(to_state, transitions.seq) AS state,
        argMax(reason, transitions.seq) AS state_reason,
        argMax(protocol_id, transitions.seq) AS protocol,
        argMax(token, transitions.seq) AS token_name,
        argMax(side, transitions.seq) AS order_side,
        argMax(quoted_price_sats, transitions.seq) AS price_sats,
        argMax(seller_script_hex, transitions.seq) AS seller_script,
        min(observed_at) AS created_at,
        max(observed_at) AS updated_at
      FROM market.order_transitions AS transitions FINAL GROUP BY order_id`,
    ],
  },
  {
    version: 2,
    name: 'evidence, verifications, settlements',
    statements: [
      `CREATE TABLE IF NOT EXISTS market.order_evidence (${CHANGE_KEY},
        asked_at DateTime64(3, 'UTC') COMMENT 'When the authorities were asked',
        answered_at DateTime64(3, 'UTC') COMMENT 'When both had answered',
        begun_epoch Nullable(UInt64) COMMENT 'Epoch of the last watermark consumed before',
        begun_n Nullable(UInt64) COMMENT 'Number of that watermark in its epoch',
        mempool_sequence Nullable(UInt64) COMMENT 'Mempool sequence of that watermark',
        node String COMMENT 'Answer of the full node, JSON',
        asset_index String COMMENT 'Answer of the asset index, JSON'
      ) ${REPLACING('order_id, seq')}
      COMMENT 'What the authorities answered, for each change made by it'`,

      `CREATE TABLE IF NOT EXISTS market.verifications (${CHANGE_KEY},
        verified_at DateTime64(3, 'UTC') COMMENT 'When the authorities were asked',
        state LowCardinality(String) COMMENT 'State of the order after',
        reason String COMMENT 'Reason of that state',
        node LowCardinality(String) COMMENT 'ready, or why the node gave no usable answer',
        asset_index LowCardinality(String) COMMENT 'ready, or why the index gave no usable answer',
        tip_height Nullable(UInt32) COMMENT 'Height of the node tip',
        tip_hash Nullable(String) COMMENT 'Hash of the node tip',
        index_height Nullable(UInt32) COMMENT 'Height of the asset index',
        index_hash Nullable(String) COMMENT 'Hash that the index holds at that height'
      ) ${REPLACING('order_id, seq')}
      COMMENT 'Each verification with the place of the authorities'`,

      `CREATE TABLE IF NOT EXISTS market.settlements (${CHANGE_KEY},
        txid String COMMENT 'Transaction that carries the exact payout',
        observed_at DateTime64(3, 'UTC') COMMENT 'When it was first seen',
        confirmations UInt32 COMMENT 'Confirmations when the change was made',
        confirmed_at Nullable(DateTime64(3, 'UTC')) COMMENT 'Time of its block',
        block_height Nullable(UInt32) COMMENT 'Height of its block; null in the mempool',
        block_hash Nullable(String) COMMENT 'Hash of its block'
      ) ${REPLACING('order_id, seq')}
      COMMENT 'Settlements observed, reorganised ones included'`,
    ],
  },
  {
    version: 3,
    name: 'activity by its own insert',
    // A view writes its rows after those of the table it watches: a kill between the two lost them.
    statements: [
      'DROP VIEW IF EXISTS market.activity_feed',
      `INSERT INTO market.activity
       SELECT order_id, seq, from_state, to_state, reason, actor, observed_at
       FROM market.order_transitions FINAL WHERE kind = 'transition'`,
    ],
  },
]
