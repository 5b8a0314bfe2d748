import type { Block } from 'bitcoinjs-lib'
import { hash256 } from '../../domain/chain/hash256.ts'
import { compactSize } from '../../domain/psbt/byte-reader.ts'

/** A `merkleblock` (BIP 37) that proves one transaction of a block, as `gettxoutproof` gives it. */
export function merkleBlock(block: Block, index: number): Buffer {
  const leaves = (block.transactions ?? []).map((transaction) => Buffer.from(transaction.getHash()))
  const levels = levelsOf(leaves)
  const hashes: Buffer[] = []
  const flags: boolean[] = []
  const walk = (height: number, at: number): void => {
    const isParent = at === index >> height
    flags.push(isParent)
    const node = levels[height]?.[at]
    if (!node) throw new RangeError(`the block has no transaction ${index}`)
    if (height === 0 || !isParent) {
      hashes.push(node)
      return
    }
    walk(height - 1, at * 2)
    if (at * 2 + 1 < (levels[height - 1]?.length ?? 0)) walk(height - 1, at * 2 + 1)
  }
  walk(levels.length - 1, 0)
  const bits = Buffer.alloc(Math.ceil(flags.length / 8))
  for (const [n, flag] of flags.entries())
    if (flag) bits[n >> 3] = (bits[n >> 3] ?? 0) | (1 << (n & 7))
  const count = Buffer.alloc(4)
  count.writeUInt32LE(leaves.length)
  return Buffer.concat([
    block.toBuffer(true),
    count,
    compactSize(hashes.length),
    ...hashes,
    compactSize(bits.length),
    bits,
  ])
}

/** The leaves, then each level above them, up to the root. */
function levelsOf(leaves: readonly Buffer[]): Buffer[][] {
  const levels = [[...leaves]]
  for (let below = levels[0] ?? []; below.length > 1; below = levels.at(-1) ?? []) {
    const pairs = Array.from({ length: Math.ceil(below.length / 2) }, (_, at) => {
      const left = below[at * 2] ?? Buffer.alloc(0)
      return hash256(Buffer.concat([left, below[at * 2 + 1] ?? left]))
    })
    levels.push(pairs)
  }
  return levels
}
