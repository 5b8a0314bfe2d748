import { setMaxListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { writeHistory } from '../../../src/pairing/fold/write-history.ts'
import { openPairingIndex, type PairingIndex } from '../../../src/pairing/pairing-index.ts'
import type { PairingBlock } from '../../../src/ports/folds/pairing-views.ts'
import { HistoryLostRowsError, HistoryUnavailableError } from '../../../src/ports/views/history.ts'
import { ListedPairingHistory } from '../../support/folds/listed-pairing-history.ts'
import { memoryPairingStore } from '../../support/folds/memory-pairing-store.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { LittleChain } from '../../support/pairing/pairing-blocks.ts'
import { drawnBlocks, mineDrawn } from '../../support/pairing/pairing-lives.ts'
import { SETTINGS } from '../../support/pairing/pairing-story.ts'

const BEAT_MS = 1_000
const WATCH_MS = 10_000

const newIndex = (): PairingIndex =>
  openPairingIndex({ store: memoryPairingStore(), settings: SETTINGS })

/** Every block of the index, lowest first. */
const blocksOf = (index: PairingIndex): PairingBlock[] =>
  index.read((view) => {
    const heights = Array.from({ length: (view.tip()?.height ?? -1) + 1 }, (_, height) => height)
    return heights.map((height) => view.block(height)!)
  })

/** The loop under its supervisor: restarted whenever it fails. */
class Pump {
  readonly clock = new ManualClock()
  readonly history = new ListedPairingHistory()
  readonly failures: unknown[] = []
  height: number | null = null
  index: PairingIndex
  #stop = new AbortController()
  #running: Promise<void> = Promise.resolve()

  constructor(index: PairingIndex) {
    this.index = index
    this.begin()
  }

  begin(): void {
    this.#stop = new AbortController()
    setMaxListeners(0, this.#stop.signal)
    const { index, history, clock } = this
    const parts = { views: index, startHeight: SETTINGS.startHeight, history, clock }
    const onWritten = (height: number) => {
      this.height = height
    }
    const { signal } = this.#stop
    const keep = async () => {
      while (!signal.aborted) {
        try {
          await writeHistory({ ...parts, onWritten }, signal)
        } catch (error) {
          this.failures.push(error)
          await clock.sleep(BEAT_MS, signal)
        }
      }
    }
    this.#running = keep()
  }

  async end(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** Time passes for this many beats. */
  async beats(count: number): Promise<void> {
    for (let beat = 0; beat < count; beat += 1) {
      await this.clock.turn()
      this.clock.advance(BEAT_MS)
      await this.clock.turn()
    }
  }
}

async function withPump(index: PairingIndex, run: (pump: Pump) => Promise<void>): Promise<void> {
  const pump = new Pump(index)
  try {
    await run(pump)
  } finally {
    await pump.end()
  }
}

const chainOf = (length: number, salt = 0) => {
  const chain = new LittleChain(0, salt)
  while (chain.blocks.length < length) chain.mine()
  return chain.blocks
}

describe('the rows of the history', () => {
  test('are those of the index, in batches of at most 500 blocks, empty ones too', async () => {
    const index = newIndex()
    await index.connect(chainOf(120))
    const many = chainOf(1_203)
    await withPump(index, async (pump) => {
      await pump.beats(1)
      expect([pump.history.batches, pump.height]).toEqual([[120], 119])
      await index.connect(many.slice(120))
      await pump.beats(2)
      expect(pump.history.batches).toEqual([120, 500, 500, 83])
      expect(pump.history.canonical()).toEqual(blocksOf(index))
      expect([pump.height, pump.failures]).toEqual([1_202, []])
    })
  })

  test('of a replaced block stay, marked, once another is at its height', async () => {
    const index = newIndex()
    const old = chainOf(6)
    const fork = [...chainOf(3), ...branchOn(chainOf(3), 4)]
    await index.connect(old)
    await withPump(index, async (pump) => {
      await pump.beats(1)
      const before = blocksOf(index)
      for (let depth = 0; depth < 3; depth += 1) await index.disconnect()
      await pump.beats(3)
      expect(pump.history.canonical()).toEqual(before)
      await index.connect(fork.slice(3, 4))
      await pump.beats(1)
      expect(pump.history.canonical()).toEqual(blocksOf(index))
      await index.connect(fork.slice(4))
      await pump.beats(1)
      expect(pump.history.canonical()).toEqual(blocksOf(index))
      const stale = [...pump.history.blocks.values()].filter((one) => !one.isCanonical)
      expect(stale.map(({ hash }) => hash).sort()).toEqual(
        old
          .slice(3)
          .map(({ hash }) => hash)
          .sort(),
      )
      expect(pump.failures).toEqual([])
    })
  })

  test('stay while the index is rebuilt from its first block', async () => {
    const blocks = chainOf(9)
    const index = newIndex()
    await index.connect(blocks)
    await withPump(index, async (pump) => {
      await pump.beats(1)
      await pump.end()
      pump.index = newIndex()
      pump.begin()
      for (const block of blocks) {
        await pump.beats(1)
        expect(pump.history.canonical()).toEqual(blocksOf(index))
        await pump.index.connect([block])
      }
      await pump.beats(2)
      expect([...pump.history.blocks.values()].every((one) => one.isCanonical)).toBe(true)
      expect([pump.history.batches, pump.failures]).toEqual([[9], []])
    })
  })

  test('wait while the history is unavailable, and are written when it is back', async () => {
    const index = newIndex()
    await withPump(index, async (pump) => {
      await pump.beats(1)
      pump.history.isAway = true
      await index.connect(chainOf(4))
      await pump.beats(5)
      expect(pump.failures.at(-1)).toEqual(new HistoryUnavailableError('away'))
      pump.history.isAway = false
      await pump.beats(3)
      expect(pump.history.canonical()).toEqual(blocksOf(index))
    })
  })

  test('that are gone are detected within 10 s, and written again', async () => {
    const index = newIndex()
    await index.connect(chainOf(8))
    await withPump(index, async (pump) => {
      await pump.beats(1)
      pump.history.lose(0, 3)
      await pump.beats(WATCH_MS / BEAT_MS + 2)
      expect(pump.failures).toEqual([
        new HistoryLostRowsError(
          'the history lost rows of the pairing index: they are written again',
        ),
      ])
      expect(pump.history.canonical()).toEqual(blocksOf(index))
    })
  })

  test('after a hole are written again from it at the next start', async () => {
    const index = newIndex()
    await index.connect(chainOf(8))
    await withPump(index, async (pump) => {
      await pump.beats(1)
      await pump.end()
      pump.history.lose(4, 2)
      pump.begin()
      await pump.beats(1)
      expect(pump.history.batches).toEqual([8, 6])
      expect(pump.history.canonical()).toEqual(blocksOf(index))
      expect(pump.failures).toEqual([])
    })
  })
})

/** Other blocks on top of these. */
function branchOn(below: ReturnType<typeof chainOf>, count: number) {
  const chain = new LittleChain(0, 1)
  chain.blocks.push(...below)
  for (let made = 0; made < count; made += 1) chain.mine()
  return chain.blocks.slice(below.length)
}

type Happening =
  | { kind: 'connect' | 'disconnect' | 'beats'; count: number }
  | { kind: 'lose'; from: number; count: number }
  | { kind: 'away' | 'back' | 'fail' | 'restart' }

const count = fc.integer({ min: 1, max: 5 })
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('connect' as const), count }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('disconnect' as const), count }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('beats' as const), count }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('lose' as const), from: fc.nat({ max: 4 }), count }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('away' as const, 'back' as const, 'fail' as const, 'restart' as const),
    }),
  },
)

/** A chain of which the index follows one branch or the other, the same below the fork. */
class TwoBranches {
  readonly #branches: [PairingChain, PairingChain]
  #taken: 0 | 1 = 0

  constructor(one: PairingChain, other: PairingChain) {
    this.#branches = [one, other]
  }

  async connect(index: PairingIndex, wanted: number): Promise<void> {
    const next = (index.tip()?.height ?? -1) + 1
    await this.#connectFrom(index, next, wanted)
  }

  /** Disconnects blocks, then follows the other branch where possible. */
  async disconnect(index: PairingIndex, wanted: number): Promise<void> {
    for (let left = wanted; left > 0 && index.tip() !== null; left -= 1) await index.disconnect()
    const tip = index.tip()
    const other = this.#taken === 0 ? 1 : 0
    if (tip === null || this.#branches[other][tip.height]?.hash === tip.hash) this.#taken = other
  }

  async #connectFrom(index: PairingIndex, from: number, wanted: number): Promise<void> {
    const blocks = this.#branches[this.#taken].slice(from, from + wanted)
    if (blocks.length > 0) await index.connect(blocks)
  }
}
type PairingChain = ReturnType<typeof mineDrawn>

test('whatever happens to chain and history, the rows are those of the index in the end', () =>
  fc.assert(
    fc.asyncProperty(
      drawnBlocks(8),
      drawnBlocks(8),
      drawnBlocks(4),
      fc.array(happening, { minLength: 5, maxLength: 40, size: 'max' }),
      async (one, other, shared, happenings) => {
        const chains = new TwoBranches(
          mineDrawn([...shared, ...one]),
          mineDrawn([...shared, ...other]),
        )
        const index = newIndex()
        await withPump(index, async (pump) => {
          for (const happens of happenings) await happen(pump, chains, happens)
          pump.history.isAway = false
          pump.history.failsNext = false
          await pump.beats(2)
          // The index's final rows, and nothing else at any of its heights.
          await chains.connect(index, 20)
          await pump.end()
          pump.begin()
          await pump.beats(4)
          const written = pump.history.canonical()
          const held = blocksOf(index)
          expect(written.slice(0, held.length)).toEqual(held)
          expect(await pump.history.whole(0)).toEqual(
            (await pump.history.lastWritten(1))[0] ?? null,
          )
        })
      },
    ),
    { numRuns: 150 },
  ))

async function happen(pump: Pump, chains: TwoBranches, happens: Happening): Promise<void> {
  switch (happens.kind) {
    case 'connect':
      return chains.connect(pump.index, happens.count)
    case 'disconnect':
      return chains.disconnect(pump.index, happens.count)
    case 'beats':
      return pump.beats(happens.count)
    case 'lose':
      if (!pump.history.isAway) pump.history.lose(happens.from, happens.count)
      return
    case 'away':
      pump.history.isAway = true
      return
    case 'back':
      pump.history.isAway = false
      return
    case 'fail':
      pump.history.failsNext = true
      return
    case 'restart':
      await pump.end()
      pump.begin()
  }
}
