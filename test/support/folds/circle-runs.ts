import canonicalize from 'canonicalize'
import { type CircleIndex, openCircleIndex } from '../../../src/circles/circle-index.ts'
import { readBlock } from '../../../src/domain/chain/raw-block.ts'
import type { BlockFold, PlacedBlock } from '../../../src/ports/folds/block-fold.ts'
import type { CircleStore } from '../../../src/ports/folds/circle-store.ts'
import type { CircleState } from '../../../src/schemas/api/circles.ts'
import type { BlockHash } from '../../../src/schemas/scalars.ts'
import { sha256 } from '../../oracle/canonical.ts'
import { refoldCircles } from '../../oracle/circles.ts'
import { toBlockHash } from '../ids.ts'
import type { CircleChain, MadeBlock } from './circle-chain.ts'

export const placed = ({ height, hash, bytes }: MadeBlock): PlacedBlock => ({
  height,
  hash,
  block: readBlock(bytes),
})

export const openIndex = (store: CircleStore, chain: CircleChain): Promise<CircleIndex> =>
  openCircleIndex({
    store,
    settings: { network: 'regtest', startHeight: chain.startHeight },
    prevouts: chain.prevouts,
  })

/** Disconnects what the chain no longer has, then folds what is new, `count()` blocks a write. */
export async function follow(
  fold: BlockFold,
  chain: CircleChain,
  count: () => number = () => 1,
): Promise<void> {
  for (let tip = fold.tip(); tip; tip = fold.tip()) {
    if (chain.blocks[tip.height]?.hash === tip.hash) break
    await fold.disconnect()
  }
  for (;;) {
    const next = (fold.tip()?.height ?? fold.startHeight - 1) + 1
    const blocks = chain.blocks.slice(next, next + count())
    if (blocks.length === 0) return
    await fold.connect(blocks.map(placed))
  }
}

export const bytesOf = (index: CircleIndex): string =>
  Buffer.concat(index.snapshot().pieces).toString()

/** Canonical bytes of the oracle's result for the chain up to a height; all of it by default. */
export const oracleBytes = (chain: CircleChain, end = chain.blocks.length): string =>
  canonicalize(
    refoldCircles(
      chain.blocks.slice(0, end).map(({ bytes }) => bytes),
      chain.startHeight,
    ),
  ) ?? ''

export const hashOf = (bytes: string): BlockHash => toBlockHash(sha256(bytes).toString('hex'))

/** The oracle's states, newest first: a fold from scratch for each block. */
export function oracleStates(chain: CircleChain): CircleState[] {
  const states: CircleState[] = []
  let revision = 0
  for (const { height, hash } of chain.blocks.slice(chain.startHeight)) {
    const bytes = oracleBytes(chain, height + 1)
    const now = Number(/"revision":(\d+)/.exec(bytes)?.[1])
    if (now !== revision) {
      states.unshift({ revision: now, stateHash: hashOf(bytes), height, blockHash: hash })
    }
    revision = now
  }
  return states
}
