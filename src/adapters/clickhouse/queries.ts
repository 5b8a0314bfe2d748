// Tables of rows are read through FINAL where it matters that a row may be in them twice.

const MOVES = 'order_id, seq, from_state, to_state, reason, actor, observed_at'

const activityFrom = (rows: string): string => `
  SELECT ${MOVES}
  FROM ${rows}
  WHERE observed_at <= parseDateTime64BestEffort({at:String}, 3, 'UTC')
    AND (observed_at, order_id, seq)
    < (parseDateTime64BestEffort({at:String}, 3, 'UTC'), {id:String}, {seq:UInt64})
  ORDER BY observed_at DESC, order_id DESC, seq DESC
  LIMIT {limit:UInt32}`

/** A page, read from its place on; a row may be in it twice, side by side. FINAL reads the whole table. */
export const ACTIVITY = activityFrom('activity_rows')
export const ACTIVITY_ONCE = activityFrom('activity_rows FINAL')

// One order's activity is in the order in which it happened, whatever its timestamps are.
export const ORDER_ACTIVITY = `
  SELECT ${MOVES}
  FROM order_transition_rows FINAL
  WHERE order_id = {id:String} AND kind = 'transition' AND seq < {seq:UInt64}
  ORDER BY seq DESC
  LIMIT {limit:UInt32}`

export const LAST_SEQ = `
  SELECT max(seq) AS seq FROM order_transition_rows WHERE order_id = {id:String}`

export const SUMMARY = `
  SELECT order_id, count() AS changes, max(seq) AS max_seq
  FROM order_transition_rows FINAL
  WHERE order_id > {after:String}
  GROUP BY order_id ORDER BY order_id LIMIT {limit:UInt32}`

// An order whose changes have a hole (a tail lost in a power failure) resets its partition to just
// after the last change before that hole. The last row of each partition comes with it.
export const POSITIONS = `
  WITH
    holed AS (
      SELECT order_id FROM order_transition_rows FINAL
      GROUP BY order_id HAVING count() != max(seq)
    ),
    steps AS (
      SELECT
        log_partition,
        seq,
        lagInFrame(seq, 1, 0) OVER changes AS seq_before,
        lagInFrame(log_offset + 1, 1, 0) OVER changes AS offset_after_it
      FROM order_transition_rows FINAL
      WHERE order_id IN (SELECT order_id FROM holed)
      WINDOW changes AS (
        PARTITION BY order_id ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
      )
    ),
    holes AS (
      SELECT log_partition, min(offset_after_it) AS position, '' AS last_order, 0 AS last_seq
      FROM steps WHERE seq != seq_before + 1 GROUP BY log_partition
    ),
    ends AS (
      SELECT
        log_partition,
        max(log_offset) + 1 AS position,
        argMax(order_id, log_offset) AS last_order,
        argMax(seq, log_offset) AS last_seq
      FROM order_transition_rows GROUP BY log_partition
    )
  SELECT
    log_partition,
    min(position) AS position,
    max(last_order) AS last_order,
    max(last_seq) AS last_seq
  FROM (SELECT * FROM holes UNION ALL SELECT * FROM ends) GROUP BY log_partition`

/** The place of each partition's first row of a form below the given one. */
export const OUTDATED = `
  SELECT log_partition, min(log_offset) AS first
  FROM order_transition_rows FINAL
  WHERE form < {form:UInt8}
  GROUP BY log_partition`

export const NOTED = `
  SELECT log_partition, version, position, last_order, last_seq, form
  FROM position_rows FINAL`

// How many of the given rows are stored, by key: a look-up, however large the table is.
export const KEPT = `
  SELECT uniqExact(order_id, seq) AS kept FROM order_transition_rows
  WHERE (order_id, seq) IN (
    SELECT key.1, key.2
    FROM (SELECT arrayJoin(JSONExtract({keys:String}, 'Array(Tuple(String, UInt64))')) AS key)
  )`

/** Rows and bytes on disk of each table; `system.parts` would want a right of its own. */
export const SIZES = `
  SELECT name, total_rows AS entries, total_bytes AS bytes
  FROM system.tables
  WHERE database = currentDatabase() AND total_bytes IS NOT NULL AND total_rows > 0
  ORDER BY name`
