import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openPairingStore } from '../../src/adapters/embedded/stores/pairing-store.ts'
import { operatorProblem } from '../../src/operator/operator-problem.ts'
import { openPairingIndex, type PairingIndex } from '../../src/pairing/pairing-index.ts'
import type { PlacedBlock } from '../../src/ports/folds/block-fold.ts'
import type { PairingStore } from '../../src/ports/folds/pairing-store.ts'
import { PairingSettingsChangedError } from '../../src/ports/log/storage-errors.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { memoryPairingStore } from '../support/folds/memory-pairing-store.ts'
import {
  at,
  create,
  elsewhere,
  hashBytes,
  LittleChain,
  p2wsh,
  transactionOf,
} from '../support/pairing/pairing-blocks.ts'
import { pairingDump } from '../support/pairing/pairing-dump.ts'
import { type DrawnTransaction, drawnBlocks, mineDrawn } from '../support/pairing/pairing-lives.ts'
import { SETTINGS } from '../support/pairing/pairing-story.ts'

const indexOn = (store: PairingStore): PairingIndex =>
  openPairingIndex({ store, settings: SETTINGS })
async function connectAll(index: PairingIndex, blocks: readonly PlacedBlock[]): Promise<void> {
  for (const block of blocks) await index.connect([block])
}

/** Runs on a store of files, and again when they are reopened. */
async function onFiles(
  run: (opened: { store: PairingStore; reopen(): Promise<PairingStore> }) => Promise<void>,
): Promise<void> {
  const { path, drop } = temporaryDirectory()
  let lmdb = await LmdbStore.open(path)
  try {
    await run({
      store: openPairingStore(lmdb),
      reopen: async () => {
        await lmdb.close()
        lmdb = await LmdbStore.open(path)
        return openPairingStore(lmdb)
      },
    })
  } finally {
    await lmdb.close()
    drop()
  }
}

describe('as a fold', () => {
  const blocks = mineDrawn([[], [], []], 5)
  const settings = { ...SETTINGS, startHeight: 5 }

  test('it names its start, its tip and what it folded', async () => {
    const index = openPairingIndex({ store: memoryPairingStore(), settings })
    expect([index.startHeight, index.tip(), index.hashAt(5)]).toEqual([5, null, null])
    await index.connect(blocks)
    expect(index.tip()).toEqual({ height: 7, hash: blocks[2]?.hash })
    const hashes = [4, 5, 6, 7, 8, -1, 5.5, Number.MAX_VALUE].map((height) => index.hashAt(height))
    expect(hashes).toEqual([null, ...blocks.map(({ hash }) => hash), null, null, null, null])
    await index.disconnect()
    expect(index.tip()).toEqual({ height: 6, hash: blocks[1]?.hash })
    expect(index.hashAt(7)).toBeNull()
    await index.disconnect()
    await index.disconnect()
    expect(index.tip()).toBeNull()
    await expect(index.disconnect()).rejects.toThrow('there is no block to disconnect')
  })

  test('it accepts only the next block, and otherwise stores nothing of the batch', async () => {
    const store = memoryPairingStore()
    const index = openPairingIndex({ store, settings })
    const [first, second, third] = blocks as [PlacedBlock, PlacedBlock, PlacedBlock]
    const problem = 'is not the next'
    await expect(index.connect([{ ...first, height: 6 }])).rejects.toThrow(problem)
    await expect(index.connect([first, third])).rejects.toThrow(problem)
    await expect(index.connect([first, { ...third, height: 6 }])).rejects.toThrow(problem)
    expect(pairingDump(store)).toEqual([])
    expect(index.tip()).toBeNull()
    await index.connect([first, second])
    await expect(index.connect([second])).rejects.toThrow(problem)
    await index.connect([third])
    expect(index.tip()?.height).toBe(7)
  })
})

describe('undo', () => {
  test('restores every table to the byte, block by block', async () => {
    await fc.assert(
      fc.asyncProperty(drawnBlocks(), async (drawn) => {
        const store = memoryPairingStore()
        const index = indexOn(store)
        const states = [pairingDump(store)]
        for (const block of mineDrawn(drawn)) {
          await index.connect([block])
          states.push(pairingDump(store))
        }
        for (const before of states.slice(0, -1).reverse()) {
          await index.disconnect()
          expect(pairingDump(store)).toEqual(before)
        }
      }),
      { numRuns: 80 },
    )
  })

  test('then another branch is as if the first had never existed', async () => {
    await fc.assert(
      fc.asyncProperty(
        drawnBlocks(4),
        drawnBlocks(4),
        drawnBlocks(4),
        async (trunk, one, other) => {
          const first = mineDrawn([...trunk, ...one])
          const second = mineDrawn([...trunk, ...other])
          const fork = first.findIndex((block, place) => block.hash !== second[place]?.hash)
          const shared = fork < 0 ? Math.min(first.length, second.length) : fork
          const moved = memoryPairingStore()
          const index = indexOn(moved)
          await connectAll(index, first)
          for (let left = first.length - shared; left > 0; left -= 1) await index.disconnect()
          await connectAll(index, second.slice(shared))
          const straight = memoryPairingStore()
          await connectAll(indexOn(straight), second)
          expect(pairingDump(moved)).toEqual(pairingDump(straight))
        },
      ),
      { numRuns: 50 },
    )
  })

  test('brings back a carrier that was spent before this process began', async () => {
    const chain = new LittleChain()
    const made = transactionOf([elsewhere(1)], [p2wsh(1), create(0, hashBytes(1))])
    const before = chain.mine(made)
    const spent = chain.mine(transactionOf([at(made)], [p2wsh(2)]))
    const store = memoryPairingStore()
    await indexOn(store).connect([before, spent])
    const index = indexOn(store)
    await index.disconnect()
    await index.connect([spent])
    const [object] = index.read((view) => view.objects(1))
    expect(object).toMatchObject({ status: 'released', eventCount: 2 })
  })
})

test('a carrier is searched for in blocks until it is spent, and again once that is undone', async () => {
  const chain = new LittleChain()
  const made = transactionOf([elsewhere(1)], [p2wsh(1), create(0, hashBytes(1))])
  const blocks = [made, transactionOf([at(made)], [p2wsh(2)])].map((tx) => chain.mine(tx))
  const [, spending] = blocks as [PlacedBlock, PlacedBlock]
  const index = indexOn(memoryPairingStore())
  const lookedForIn = async (placed: PlacedBlock): Promise<number> => {
    let sought = 0
    vi.spyOn(placed.block, 'transactionsWith').mockImplementation(function* (_, outpoints) {
      sought = outpoints.size
      yield* []
    })
    await index.connect([placed])
    return sought
  }
  await index.connect(blocks)
  expect(await lookedForIn(chain.mine())).toBe(0)
  await index.disconnect()
  await index.disconnect()
  expect(await lookedForIn(spending)).toBe(1)
})

describe('blocks', () => {
  test('in one batch are what they are in batches of one', async () => {
    await fc.assert(
      fc.asyncProperty(drawnBlocks(), async (drawn) => {
        const blocks = mineDrawn(drawn)
        const [single, batch] = [memoryPairingStore(), memoryPairingStore()]
        await connectAll(indexOn(single), blocks)
        await indexOn(batch).connect(blocks)
        expect(pairingDump(batch)).toEqual(pairingDump(single))
      }),
      { numRuns: 50 },
    )
  })

  test('go on after a restart in the middle, and are the same on files', async () => {
    const life = fc.sample(drawnBlocks(30), { numRuns: 6, seed: 7 })
    const longest = life.reduce((one, other) => (other.length > one.length ? other : one))
    const blocks = mineDrawn(longest)
    const half = Math.floor(blocks.length / 2)
    const straight = memoryPairingStore()
    await connectAll(indexOn(straight), blocks)
    await onFiles(async ({ store, reopen }) => {
      await indexOn(store).connect(blocks.slice(0, half))
      const again = await reopen()
      const index = indexOn(again)
      expect(index.tip()).toEqual({ height: half - 1, hash: blocks[half - 1]?.hash })
      await index.connect(blocks.slice(half, -1))
      await index.connect(blocks.slice(-1))
      expect(pairingDump(again)).toEqual(pairingDump(straight))
      for (const _ of blocks) await index.disconnect()
      expect(pairingDump(again)).toEqual([])
    })
  })

  test('of a failed write are not stored, and can be written again', async () => {
    const drawn: DrawnTransaction[][] = [
      [{ does: 'create', spends: 0, pick: 0, label: 'a', script: 1 }],
      [{ does: 'move', spends: 2, pick: 3, label: '', script: 2 }],
    ]
    const blocks = mineDrawn(drawn)
    const store = memoryPairingStore()
    let failing = true
    const index = indexOn({
      read: (query) => store.read(query),
      write: (action) =>
        store.write((tables) => {
          const result = action(tables)
          if (failing) throw new Error('no space')
          return result
        }),
    })
    await expect(index.connect(blocks)).rejects.toThrow('no space')
    expect(index.tip()).toBeNull()
    failing = false
    await index.connect(blocks)
    const undisturbed = memoryPairingStore()
    await indexOn(undisturbed).connect(blocks)
    expect(pairingDump(store)).toEqual(pairingDump(undisturbed))
  })
})

describe('a store of other settings', () => {
  test.each([
    [{ deployment: 'other' }, 'PAIRING_DEPLOYMENT test, not other', 'PAIRING_DEPLOYMENT to test'],
    [{ network: 'signet' }, 'BITCOIN_NETWORK regtest, not signet', 'BITCOIN_NETWORK to regtest'],
    [{ startHeight: 9 }, 'PAIRING_START_HEIGHT 0, not 9', 'PAIRING_START_HEIGHT to 0'],
    [{ magic: Buffer.from('PAIS') }, 'PAIRING_MAGIC PAIR, not PAIS', 'PAIRING_MAGIC to PAIR'],
    [
      { deployment: 'x', startHeight: 1 },
      'PAIRING_DEPLOYMENT test, not x, and PAIRING_START_HEIGHT 0, not 1',
      'PAIRING_DEPLOYMENT to test, and PAIRING_START_HEIGHT to 0',
    ],
  ] as const)('%j is refused with the cure', async (change, what, cure) => {
    const store = memoryPairingStore()
    await indexOn(store).connect(mineDrawn([[]]))
    const open = () => openPairingIndex({ store, settings: { ...SETTINGS, ...change } })
    const message = `the pairing index was created with ${what}: set ${cure}, or start with an empty DATA_DIR`
    expect(open).toThrow(PairingSettingsChangedError)
    expect(open).toThrow(message)
    expect(operatorProblem(errorOf(open))).toBe(message)
    expect(indexOn(store).tip()?.height).toBe(0)
  })

  test('is not one without folded blocks', () => {
    const store = memoryPairingStore()
    indexOn(store)
    openPairingIndex({ store, settings: { ...SETTINGS, startHeight: 9 } })
  })
})

function errorOf(action: () => unknown): unknown {
  try {
    return action()
  } catch (error) {
    return error
  }
}

test('what is read is the reader’s own copy', async () => {
  const store = memoryPairingStore()
  const index = indexOn(store)
  const blocks = mineDrawn([[{ does: 'create', spends: 0, pick: 0, label: 'a', script: 1 }], []])
  await index.connect(blocks)
  const [one] = index.read((view) => view.objects(1))
  Object.assign(one ?? {}, { label: 'mine' })
  expect(index.read((view) => view.objects(1))[0]?.label).toBe('a')
})
