import { describe, expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openCircleStore } from '../../src/adapters/embedded/stores/circle-store.ts'
import { openCircleIndex } from '../../src/circles/circle-index.ts'
import { CircleSnapshot } from '../../src/schemas/api/circles.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { CircleChain } from '../support/folds/circle-chain.ts'
import {
  bytesOf,
  follow,
  hashOf,
  openIndex,
  oracleBytes,
  oracleStates,
} from '../support/folds/circle-runs.ts'
import { MemoryCircleStore } from '../support/folds/memory-circle-store.ts'
import { toTxid } from '../support/ids.ts'
import { dice } from '../support/orders/order-book.ts'

// CIRCLE_CHAINS: how many chains (`npm run test:oracles` takes 1,000); CIRCLE_SEED: the first one,
// as a failure names it.
const CHAINS = Number(process.env['CIRCLE_CHAINS'] ?? 20)
const FIRST = Number(process.env['CIRCLE_SEED'] ?? 1)
const ON_DISK = Math.max(1, Math.floor(CHAINS / 80))
const MAX_BLOCKS = 7

const seeds = (count: number): number[] => Array.from({ length: count }, (_, at) => FIRST + at)

/** Grows the chain, sometimes after a reorg of any depth, up to the whole chain. */
function grow(chain: CircleChain, random: ReturnType<typeof dice>): void {
  if (chain.blocks.length > 0 && random.chance(0.5)) {
    chain.drop(1 + random.below(random.chance(0.3) ? chain.blocks.length : 3))
  }
  for (let left = 1 + random.below(4); left > 0; left--) chain.mine()
}

describe('the index agrees with the oracle', () => {
  test(`on ${CHAINS} generated chains, after each reorg and restart`, async () => {
    const seen = { circles: 0, edges: 0, closed: 0, restarted: 0 }
    for (const seed of seeds(CHAINS)) {
      const random = dice(seed * 7 + 1)
      const chain = new CircleChain(seed)
      const store = new MemoryCircleStore()
      let index = await openIndex(store, chain)
      for (let left = MAX_BLOCKS; left > 0; left--) chain.mine()
      for (let round = 0; round < 3; round++) {
        await follow(index, chain, () => 1 + random.below(5))
        const expected = oracleBytes(chain)
        expect(bytesOf(index), `CIRCLE_SEED=${seed}, round ${round}`).toBe(expected)
        expect(index.state().stateHash, `CIRCLE_SEED=${seed}`).toBe(hashOf(expected))
        if (random.chance(0.3)) {
          index = await openIndex(store, chain)
          expect(bytesOf(index), `CIRCLE_SEED=${seed}, restarted`).toBe(expected)
        }
        if (round < 2) grow(chain, random)
      }
      count(seen, bytesOf(index))
      if (seed % 20 === 0) {
        const states = oracleStates(chain)
        expect(index.states(1_000), `CIRCLE_SEED=${seed}`).toEqual(states)
      }
    }
    // Generated chains must cover what is tested.
    expect(seen.circles).toBeGreaterThan(CHAINS * 3)
    expect(seen.edges).toBeGreaterThan(CHAINS * 3)
    expect(seen.closed).toBeGreaterThan(CHAINS)
    if (CHAINS >= 100) expect(seen.restarted).toBeGreaterThan(CHAINS / 2)
  }, 600_000)

  test(`on ${ON_DISK} of them on disk, where the process also ends between writes`, async () => {
    for (const seed of seeds(ON_DISK)) {
      const random = dice(seed)
      const chain = new CircleChain(seed)
      const directory = temporaryDirectory()
      let lmdb = await LmdbStore.open(directory.path)
      try {
        for (let left = MAX_BLOCKS; left > 0; left--) chain.mine()
        for (let round = 0; round < 3; round++) {
          const index = await openIndex(openCircleStore(lmdb), chain)
          await follow(index, chain, () => 1 + random.below(4))
          expect(bytesOf(index), `CIRCLE_SEED=${seed}`).toBe(oracleBytes(chain))
          expect(index.states(1_000)).toEqual(oracleStates(chain))
          await lmdb.close()
          lmdb = await LmdbStore.open(directory.path)
          grow(chain, random)
        }
      } finally {
        await lmdb.close()
        directory.drop()
      }
    }
  }, 600_000)

  test('on the way back: after each disconnected block the hash is that of a fold from scratch', async () => {
    for (const seed of seeds(Math.min(CHAINS, 60))) {
      const chain = new CircleChain(seed)
      for (let left = MAX_BLOCKS; left > 0; left--) chain.mine()
      const index = await openIndex(new MemoryCircleStore(), chain)
      await follow(index, chain, () => 4)
      for (let tip = index.tip(); tip; tip = index.tip()) {
        await index.disconnect()
        const expected = oracleBytes(chain, Math.max(tip.height, chain.startHeight))
        expect(bytesOf(index), `CIRCLE_SEED=${seed}`).toBe(expected)
        expect(index.state().stateHash).toBe(hashOf(expected))
      }
      await expect(index.disconnect()).rejects.toThrow('no block of the circles is left')
    }
  })
})

test('every snapshot matches the schema, and only blocks with a candidate are requested', async () => {
  for (const seed of seeds(40)) {
    const chain = new CircleChain(seed)
    for (let left = 12; left > 0; left--) chain.mine(left % 3 === 0 ? 0 : 5)
    const asked: string[] = []
    const index = await openCircleIndex({
      store: new MemoryCircleStore(),
      settings: { network: 'regtest', startHeight: chain.startHeight },
      prevouts: (hash, txids) => {
        asked.push(hash)
        return chain.prevouts(hash, txids)
      },
    })
    await follow(index, chain)
    expect(CircleSnapshot.safeParse(JSON.parse(bytesOf(index))).error).toBeUndefined()
    const empty = chain.blocks.filter(({ block }) => block.transactions?.length === 1)
    expect(asked).toEqual(asked.filter((hash) => !empty.some((one) => one.hash === hash)))
    expect(new Set(asked).size).toBe(asked.length)
  }
})

function count(
  seen: { circles: number; edges: number; closed: number; restarted: number },
  bytes: string,
): void {
  const { circles, edges, lineages, shards }: CircleSnapshot = JSON.parse(bytes)
  seen.circles += circles.length
  seen.edges += edges.length
  const closings = new Set(lineages.map(({ closedByTxid }) => closedByTxid))
  seen.closed += lineages.filter(({ status }) => status === 'closed').length
  // A lineage that starts from what closed another one.
  seen.restarted += lineages.filter(({ genesisOutpoint }) =>
    closings.has(toTxid(genesisOutpoint.slice(0, 64))),
  ).length
  expect(new Set(shards.map(({ outpoint }) => outpoint)).size).toBe(shards.length)
}
