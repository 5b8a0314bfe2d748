import type { Txid } from '../../schemas/scalars.ts'

/** What must be known about each transaction to order a set of them for mining. */
export interface Weighed {
  txid: Txid
  feeSats: bigint
  vsize: number
  /** Txids; parents outside the set are ignored. */
  parents: readonly string[]
}

/** Transactions that a miner takes together, at one feerate. */
export interface Chunk<T extends Weighed = Weighed> {
  txs: readonly T[]
  feeSats: bigint
  vsize: number
}

/**
 * Orders a set by ancestor feerate and cuts it into chunks of falling feerate, as Core's cluster
 * mempool does (which searches for the best order; this one is greedy).
 */
export function feerateChunks<T extends Weighed>(txs: readonly T[]): Chunk<T>[] {
  const remaining = new Map(txs.map((tx) => [tx.txid, tx]))
  const chunks: Chunk<T>[] = []
  while (remaining.size > 0) {
    let best: Chunk<T> | undefined
    for (const tx of remaining.values()) {
      const candidate = chunkOf(ancestorsIn(remaining, tx))
      if (!best || paysMore(candidate, best)) best = candidate
    }
    if (!best) break
    for (const { txid } of best.txs) remaining.delete(txid)
    append(chunks, best)
  }
  return chunks
}

/** Is the feerate of a above that of b? */
const paysMore = (a: Chunk, b: Chunk): boolean =>
  a.feeSats * BigInt(b.vsize) > b.feeSats * BigInt(a.vsize)

export const byFeerate = (a: Chunk, b: Chunk): number => {
  if (paysMore(a, b)) return -1
  return paysMore(b, a) ? 1 : 0
}

/**
 * Does the new diagram (fees a miner earns by size of block) lie nowhere below the old one and
 * somewhere above (Core `ImprovesFeerateDiagram`)? Chunks in the order of falling feerate.
 */
export function improves(next: readonly Chunk[], before: readonly Chunk[]): boolean {
  const sizes = new Set([...pointsOf(next), ...pointsOf(before)].map(({ vsize }) => vsize))
  let better = false
  for (const size of sizes) {
    const gain = compare(feesAt(next, size), feesAt(before, size))
    if (gain < 0) return false
    if (gain > 0) better = true
  }
  return better
}

function ancestorsIn<T extends Weighed>(set: ReadonlyMap<string, T>, tx: T): T[] {
  const found = new Map<string, T>()
  const visit = (at: T) => {
    if (found.has(at.txid)) return
    for (const txid of at.parents) {
      const parent = set.get(txid)
      if (parent) visit(parent)
    }
    found.set(at.txid, at)
  }
  visit(tx)
  return [...found.values()]
}

function chunkOf<T extends Weighed>(txs: readonly T[]): Chunk<T> {
  const feeSats = txs.reduce((sum, tx) => sum + tx.feeSats, 0n)
  return { txs, feeSats, vsize: txs.reduce((sum, tx) => sum + tx.vsize, 0) }
}

/** A chunk that pays more than the one before it is taken together with it. */
function append<T extends Weighed>(chunks: Chunk<T>[], chunk: Chunk<T>): void {
  let last = chunk
  for (let before = chunks.at(-1); before && paysMore(last, before); before = chunks.at(-1)) {
    chunks.pop()
    last = chunkOf([...before.txs, ...last.txs])
  }
  chunks.push(last)
}

function pointsOf(chunks: readonly Chunk[]): { vsize: number }[] {
  let vsize = 0
  return chunks.map((chunk) => {
    vsize += chunk.vsize
    return { vsize }
  })
}

/** Fees of the first `size` vbytes, as a fraction: a chunk may be cut. */
function feesAt(chunks: readonly Chunk[], size: number): { over: bigint; under: bigint } {
  let fees = 0n
  let left = size
  for (const chunk of chunks) {
    if (chunk.vsize > left) {
      const under = BigInt(chunk.vsize)
      return { over: fees * under + chunk.feeSats * BigInt(left), under }
    }
    fees += chunk.feeSats
    left -= chunk.vsize
  }
  return { over: fees, under: 1n }
}

function compare(a: { over: bigint; under: bigint }, b: { over: bigint; under: bigint }): number {
  const difference = a.over * b.under - b.over * a.under
  if (difference === 0n) return 0
  return difference > 0n ? 1 : -1
}
