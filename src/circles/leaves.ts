/**
 * Records of one section as canonical bytes in the order of their keys, cut into leaves of about
 * 32 KiB. A list of leaves never changes: a change makes another list that shares every leaf that it
 * does not touch, so whoever holds a list holds a moment of the graph.
 */
export type Leaves = readonly Leaf[]

export interface Leaf {
  /** Ascending. */
  keys: readonly string[]
  /** Where each record ends in `bytes`. */
  ends: readonly number[]
  /** A comma before every record. */
  bytes: Buffer
  /** The same without the first comma, for the first leaf of a section. */
  head: Buffer
}

export interface RecordBytes {
  key: string
  bytes: Uint8Array
}

/** Null bytes take the record away. */
export interface BytesChange {
  key: string
  bytes: Uint8Array | null
}

const LEAF_BYTES = 32_768
const COMMA = 0x2c

/** Packs records that come in the order of their keys. */
export function packLeaves(records: Iterable<RecordBytes>): Leaves {
  const leaves: Leaf[] = []
  let waiting: RecordBytes[] = []
  let size = 0
  for (const record of records) {
    waiting.push(record)
    size += record.bytes.length + 1
    if (size < LEAF_BYTES) continue
    leaves.push(leafOf(waiting))
    waiting = []
    size = 0
  }
  if (waiting.length > 0) leaves.push(leafOf(waiting))
  return leaves
}

/** The leaves after these changes, one a key, in any order; costs the leaves that they touch. */
export function changeLeaves(leaves: Leaves, changes: readonly BytesChange[]): Leaves {
  if (changes.length === 0) return leaves
  const sorted = changes.toSorted((a, b) => compare(a.key, b.key))
  const changed: Leaf[] = []
  let kept = 0
  for (let from = 0; from < sorted.length; ) {
    const at = leafFor(leaves, sorted[from]?.key ?? '')
    const below = leaves[at + 1]?.keys[0]
    let to = from + 1
    while (to < sorted.length && (below === undefined || (sorted[to]?.key ?? '') < below)) to += 1
    for (; kept < at; kept++) pushLeaf(changed, leaves[kept])
    changed.push(...mergeLeaf(leaves[at], sorted.slice(from, to)))
    kept = at + 1
    from = to
  }
  for (; kept < leaves.length; kept++) pushLeaf(changed, leaves[kept])
  return changed
}

/** The leaf that holds a key, or would: the last one that starts at or before it. */
function leafFor(leaves: Leaves, key: string): number {
  let low = 0
  let high = leaves.length
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if ((leaves[middle]?.keys[0] ?? '') <= key) low = middle
    else high = middle
  }
  return low
}

const pushLeaf = (to: Leaf[], leaf: Leaf | undefined): void => {
  if (leaf) to.push(leaf)
}

/** A leaf with changes, sorted by key: one leaf or several, or none when nothing is left. */
function mergeLeaf(leaf: Leaf | undefined, changes: readonly BytesChange[]): Leaves {
  const merged: RecordBytes[] = []
  let next = 0
  const take = (until: string | null) => {
    for (let change = changes[next]; change; change = changes[++next]) {
      if (until !== null && change.key > until) break
      if (change.bytes) merged.push({ key: change.key, bytes: change.bytes })
      if (change.key === until) {
        next += 1
        return true
      }
    }
    return false
  }
  for (const record of leaf ? recordsOf(leaf) : []) {
    if (!take(record.key)) merged.push(record)
  }
  take(null)
  const size = merged.reduce((sum, { bytes }) => sum + bytes.length + 1, 0)
  if (merged.length === 0) return []
  return size > 2 * LEAF_BYTES ? packLeaves(merged) : [leafOf(merged)]
}

function recordsOf({ keys, ends, bytes }: Leaf): RecordBytes[] {
  let start = 0
  return keys.map((key, at) => {
    const end = ends[at] ?? start
    const record = { key, bytes: bytes.subarray(start + 1, end) }
    start = end
    return record
  })
}

function leafOf(records: readonly RecordBytes[]): Leaf {
  const size = records.reduce((sum, { bytes }) => sum + bytes.length + 1, 0)
  const joined = Buffer.allocUnsafeSlow(size)
  const ends: number[] = []
  let end = 0
  for (const { bytes } of records) {
    joined[end] = COMMA
    joined.set(bytes, end + 1)
    end += bytes.length + 1
    ends.push(end)
  }
  return { keys: records.map(({ key }) => key), ends, bytes: joined, head: joined.subarray(1) }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
