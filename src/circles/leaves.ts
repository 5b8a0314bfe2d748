/**
 * Records of one section as canonical bytes in key order, cut into leaves of about 32 KiB. A list
 * of leaves is immutable: a change makes a new list that shares every leaf it does not touch, so a
 * list is a snapshot of the graph at one moment.
 */
export type Leaves = readonly Leaf[]

export interface Leaf {
  /** Ascending. */
  keys: readonly string[]
  /** Where each record ends in `bytes`. */
  ends: readonly number[]
  /** The records, each preceded by a comma. */
  bytes: Buffer
  /** The leaf without the first comma, for the first leaf of a section. */
  head: Buffer
}

export interface RecordBytes {
  key: string
  bytes: Uint8Array
}

/** `bytes` null removes the record. */
export interface BytesChange {
  key: string
  bytes: Uint8Array | null
}

const LEAF_BYTES = 32_768
const COMMA = Buffer.from(',')
const EMPTY_LEAF: Leaf = { keys: [], ends: [], bytes: Buffer.of(), head: Buffer.of() }

/** Packs records given in key order. */
export function packLeaves(records: Iterable<RecordBytes>): Leaves {
  const leaves: Leaf[] = []
  let waiting: RecordBytes[] = []
  let size = 0
  for (const record of records) {
    waiting.push(record)
    size += COMMA.length + record.bytes.length
    if (size < LEAF_BYTES) continue
    leaves.push(packLeaf(waiting, size))
    waiting = []
    size = 0
  }
  if (waiting.length > 0) leaves.push(packLeaf(waiting, size))
  return leaves
}

/** The leaves after these changes, one per key, in any order; only touched leaves are rebuilt. */
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
    changed.push(...mergeLeaf(leaves[at] ?? EMPTY_LEAF, sorted.slice(from, to)))
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

/**
 * A leaf with changes, sorted by key: one leaf or several, or none when nothing is left. The bytes
 * between two changes are copied as one range.
 */
function mergeLeaf(leaf: Leaf, changes: readonly BytesChange[]): Leaves {
  const { keys, ends, bytes } = leaf
  const merged = { keys: [] as string[], ends: [] as number[], end: 0 }
  const parts: Uint8Array[] = []
  const startOf = (at: number) => ends[at - 1] ?? 0
  let next = 0
  const keep = (until: number) => {
    const shift = merged.end - startOf(next)
    if (until > next) parts.push(bytes.subarray(startOf(next), startOf(until)))
    for (; next < until; next++) {
      merged.end = startOf(next + 1) + shift
      merged.keys.push(keys[next] ?? '')
      merged.ends.push(merged.end)
    }
  }
  for (const { key, bytes: record } of changes) {
    let at = next
    while (at < keys.length && (keys[at] ?? '') < key) at += 1
    keep(at)
    if (keys[at] === key) next = at + 1
    if (!record) continue
    parts.push(COMMA, record)
    merged.end += COMMA.length + record.length
    merged.keys.push(key)
    merged.ends.push(merged.end)
  }
  keep(keys.length)
  if (merged.keys.length === 0) return []
  const whole = leafOf(merged.keys, merged.ends, joined(parts, merged.end))
  return merged.end > 2 * LEAF_BYTES ? packLeaves(recordsOf(whole)) : [whole]
}

function* recordsOf({ keys, ends, bytes }: Leaf): Generator<RecordBytes> {
  let start = 0
  for (const [at, key] of keys.entries()) {
    const end = ends[at] ?? start
    yield { key, bytes: bytes.subarray(start + COMMA.length, end) }
    start = end
  }
}

function packLeaf(records: readonly RecordBytes[], size: number): Leaf {
  let end = 0
  const ends = records.map(({ bytes }) => (end += COMMA.length + bytes.length))
  const bytes = joined(
    records.flatMap((record) => [COMMA, record.bytes]),
    size,
  )
  return leafOf(
    records.map(({ key }) => key),
    ends,
    bytes,
  )
}

const leafOf = (keys: readonly string[], ends: readonly number[], bytes: Buffer): Leaf => ({
  keys,
  ends,
  bytes,
  head: bytes.subarray(COMMA.length),
})

/** Not from Node's buffer pool, which would stay alive as long as any slice of it. */
function joined(parts: readonly Uint8Array[], size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size)
  let end = 0
  for (const part of parts) {
    bytes.set(part, end)
    end += part.length
  }
  return bytes
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
