// The tables are read through FINAL: of a row stored several times the newest version counts.

/** Checks each block's stated contents against the stored, and each block against the one below. */
export const WHOLE = `
  WITH
    held AS (
      SELECT height, block_hash, sum(is_transaction) AS transactions, sum(is_event) AS events
      FROM (
        SELECT height, block_hash, 1 AS is_transaction, 0 AS is_event
        FROM pairing_transaction_rows FINAL WHERE deployment = {deployment:String}
        UNION ALL
        SELECT height, block_hash, 0 AS is_transaction, 1 AS is_event
        FROM pairing_event_rows FINAL WHERE deployment = {deployment:String}
      )
      GROUP BY height, block_hash
    ),
    canonical AS (
      SELECT
        height,
        block_hash,
        checkpoint_hash,
        previous_checkpoint_hash,
        transaction_count,
        event_count
      FROM pairing_block_rows FINAL WHERE deployment = {deployment:String} AND is_canonical
    ),
    links AS (
      SELECT
        height,
        block_hash,
        checkpoint_hash,
        transaction_count = transactions AND event_count = events
          AND toInt64(height) = 1 + lagInFrame(toInt64(height), 1, {start:Int64} - 1) OVER chain
          AND lagInFrame(checkpoint_hash, 1, '') OVER chain IN ('', previous_checkpoint_hash)
          AS is_linked
      FROM canonical LEFT JOIN held USING (height, block_hash)
      WINDOW chain AS (
        ORDER BY height, block_hash ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
      )
    )
  SELECT height, block_hash, checkpoint_hash
  FROM (
    SELECT
      height,
      block_hash,
      checkpoint_hash,
      min(is_linked) OVER (
        ORDER BY height, block_hash ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS is_whole
    FROM links
  )
  WHERE is_whole = 1
  ORDER BY height DESC, block_hash DESC LIMIT 1`

export const LAST_WRITTEN = `
  SELECT height, block_hash, checkpoint_hash FROM pairing_block_rows FINAL
  WHERE deployment = {deployment:String} AND height <= {upTo:UInt32} AND is_canonical
  ORDER BY height DESC, block_hash DESC LIMIT {limit:UInt32}`

export const NEWEST_VERSION = `
  SELECT max(version) AS version FROM pairing_block_rows
  WHERE deployment = {deployment:String} AND height BETWEEN {from:UInt32} AND {to:UInt32}`

export const CANONICAL_ROWS = `
  SELECT * FROM pairing_block_rows FINAL
  WHERE deployment = {deployment:String} AND height BETWEEN {from:UInt32} AND {to:UInt32}
    AND is_canonical`
