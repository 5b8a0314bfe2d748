import { describe, expect, test } from 'vitest'
import { openCircleIndex } from '../../src/circles/circle-index.ts'
import { BlockUnavailableError } from '../../src/ports/authorities/authority-errors.ts'
import { CirclesRefusedError } from '../../src/ports/folds/circle-store.ts'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import type { CircleState } from '../../src/schemas/api/circles.ts'
import { CircleChain } from '../support/folds/circle-chain.ts'
import {
  bytesOf,
  follow,
  hashOf,
  openIndex,
  oracleBytes,
  placed,
} from '../support/folds/circle-runs.ts'
import { MemoryCircleStore } from '../support/folds/memory-circle-store.ts'
import { toOutpointText, toTxid } from '../support/ids.ts'

const chainOf = (seed: number, blocks = 10): CircleChain => {
  const chain = new CircleChain(seed)
  for (let left = blocks; left > 0; left--) chain.mine()
  return chain
}

const EMPTY =
  '{"circles":[],"edges":[],"lineages":[],"protocol":"circles","revision":0,"shards":[],"version":1}'

describe('without a circle', () => {
  test('the snapshot is revision 0 with four empty arrays', async () => {
    const index = await openIndex(new MemoryCircleStore(), chainOf(1, 0))
    expect(bytesOf(index)).toBe(EMPTY)
    expect(index.state()).toEqual({
      revision: 0,
      stateHash: hashOf(EMPTY),
      height: null,
      blockHash: null,
    })
    expect(index.tip()).toBeNull()
    expect(index.snapshot().length).toBe(EMPTY.length)
  })

  test('blocks without a circle move only the tip', async () => {
    const chain = new CircleChain(2)
    for (let left = 6; left > 0; left--) chain.mine(0)
    const told: CircleState[] = []
    const index = await openCircleIndex({
      store: new MemoryCircleStore(),
      settings: { network: 'regtest', startHeight: chain.startHeight },
      prevouts: async () => {
        throw new Error('no block has a candidate')
      },
      onStates: (states) => told.push(...states),
    })
    await follow(index, chain, () => 2)
    expect(index.state()).toMatchObject({ revision: 0, height: 5, blockHash: chain.tip?.hash })
    expect(told).toEqual([])
  })
})

describe('settings', () => {
  const open = (store: MemoryCircleStore, network: 'regtest' | 'signet', startHeight: number) =>
    openCircleIndex({
      store,
      settings: { network, startHeight },
      prevouts: async () => null,
    })

  test.each([
    ['signet', 3],
    ['regtest', 4],
  ] as const)(
    '%s from %i are refused where others were stored, with the fix',
    async (network, at) => {
      const store = new MemoryCircleStore()
      await open(store, 'regtest', 3)
      await open(store, 'regtest', 3)
      const refused = open(store, network, at)
      await expect(refused).rejects.toThrow(CirclesRefusedError)
      await expect(refused).rejects.toThrow(
        `the circles were made of regtest from height 3, and ${network} from height ${at} is configured: ` +
          'set BITCOIN_NETWORK to regtest and CIRCLES_START_HEIGHT to 3, or start with another DATA_DIR',
      )
    },
  )

  test('a store that does not match its hash is refused', async () => {
    const chain = chainOf(5)
    const store = new MemoryCircleStore()
    await follow(await openIndex(store, chain), chain)
    const [first] = store.records('lineages')
    first!.record.circleCount += 1
    await expect(openIndex(store, chain)).rejects.toThrow(/the store is damaged/)
  })
})

describe('what cannot be folded', () => {
  test('blocks that do not follow the tip', async () => {
    const chain = chainOf(3)
    const index = await openIndex(new MemoryCircleStore(), chain)
    await expect(index.connect([placed(chain.blocks[chain.startHeight + 1]!)])).rejects.toThrow(
      'does not follow',
    )
    await index.connect([placed(chain.blocks[chain.startHeight]!)])
    await expect(index.connect([placed(chain.blocks[chain.startHeight + 2]!)])).rejects.toThrow(
      'does not follow',
    )
    const other = chainOf(4).blocks[chain.startHeight + 1]!
    await expect(
      index.connect([{ ...placed(other), height: chain.startHeight + 1 }]),
    ).rejects.toThrow('does not follow')
  })

  test('a block whose prevouts the node does not have: nothing of the write is stored', async () => {
    const chain = chainOf(6)
    const store = new MemoryCircleStore()
    const index = await openCircleIndex({
      store,
      settings: { network: 'regtest', startHeight: chain.startHeight },
      prevouts: async () => null,
    })
    await expect(follow(index, chain, () => 64)).rejects.toThrow(BlockUnavailableError)
    expect(bytesOf(index)).toBe(EMPTY)
    expect(index.tip()).toBeNull()
  })

  test('a failed write changes nothing, and works when retried', async () => {
    const chain = chainOf(7)
    const store = new MemoryCircleStore()
    const index = await openIndex(store, chain)
    const half = chain.startHeight + 4
    await index.connect(chain.blocks.slice(chain.startHeight, half).map(placed))
    const before = { bytes: bytesOf(index), state: index.state() }
    store.failNext = new StorageUnavailableError('full', 'no space')
    await expect(index.connect(chain.blocks.slice(half).map(placed))).rejects.toThrow('no space')
    expect({ bytes: bytesOf(index), state: index.state() }).toEqual(before)
    store.failNext = new StorageUnavailableError('full', 'no space')
    await expect(index.disconnect()).rejects.toThrow('no space')
    expect({ bytes: bytesOf(index), state: index.state() }).toEqual(before)
    await follow(index, chain, () => 64)
    expect(bytesOf(index)).toBe(oracleBytes(chain))
  })
})

test('a snapshot being read does not change while blocks come and go', async () => {
  const chain = chainOf(8, 6)
  const index = await openIndex(new MemoryCircleStore(), chain)
  await follow(index, chain)
  const { pieces, state } = index.snapshot()
  const before = hashOf(Buffer.concat(pieces).toString())
  expect(before).toBe(state.stateHash)
  chain.drop(3)
  for (let left = 6; left > 0; left--) chain.mine()
  await follow(index, chain)
  expect(index.state().stateHash).not.toBe(before)
  expect(hashOf(Buffer.concat(pieces).toString())).toBe(before)
})

test('records are found by their keys, and states are published once they are stored', async () => {
  const chain = chainOf(9)
  const told: CircleState[] = []
  const store = new MemoryCircleStore()
  const index = await openCircleIndex({
    store,
    settings: { network: 'regtest', startHeight: chain.startHeight },
    prevouts: chain.prevouts,
    onStates: (states) => told.push(...states),
  })
  await follow(index, chain, () => 3)
  const snapshot = JSON.parse(bytesOf(index))
  expect(snapshot.circles.length).toBeGreaterThan(2)
  for (const one of snapshot.lineages) expect(index.lineage(one.lineageId)).toEqual(one)
  for (const one of snapshot.shards) expect(index.shard(one.outpoint)).toEqual(one)
  for (const one of snapshot.circles) expect(index.circle(one.txid)).toEqual(one)
  expect(index.lineage('0'.repeat(64))).toBeNull()
  expect(index.shard(toOutpointText(`${'0'.repeat(64)}:0`))).toBeNull()
  expect(index.circle(toTxid('0'.repeat(64)))).toBeNull()
  expect(told.toReversed()).toEqual(index.states(1_000))
  expect(index.states(2)).toEqual(told.toReversed().slice(0, 2))
})
