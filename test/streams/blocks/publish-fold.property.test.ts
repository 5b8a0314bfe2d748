import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PublishedBlocks } from '../../../src/ports/folds/published-blocks.ts'
import type { NewRecord } from '../../../src/ports/log/event-log.ts'
import { publishFold } from '../../../src/streams/blocks/publish-fold.ts'
import {
  compacted,
  connected,
  MemoryPublishedBlocks,
  ToyFold,
  type ToyMark,
} from '../../support/folds/toy-fold.ts'
import { ManualClock } from '../../support/manual-clock.ts'

type Move =
  | { kind: 'connect'; digits: string }
  | { kind: 'disconnect'; count: number }
  /** The blocks that went last come back, where nothing came in between. */
  | { kind: 'return' }

/** At the `at`-th write the chain moves, and then the process may be killed before or after it. */
interface Run {
  at: number
  moves: readonly Move[]
  kill: 'before' | 'after' | null
}

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    kind: fc.constant('connect' as const),
    digits: fc.string({ unit: fc.constantFrom('0', '1', '2'), minLength: 1, maxLength: 5 }),
  }),
  fc.record({ kind: fc.constant('disconnect' as const), count: fc.integer({ min: 1, max: 8 }) }),
  fc.constant({ kind: 'return' as const }),
)
const step: fc.Arbitrary<Move | Run> = fc.oneof(
  move,
  fc.record({
    at: fc.integer({ min: 0, max: 7 }),
    moves: fc.array(move, { maxLength: 3 }),
    kill: fc.constantFrom('before', 'after', null),
  }),
)

class KilledError extends Error {}

class World {
  readonly fold = new ToyFold()
  readonly kept = new MemoryPublishedBlocks()
  readonly records: NewRecord[] = []
  readonly clock = new ManualClock()
  #gone = ''

  move(change: Move): void {
    if (change.kind === 'disconnect') this.#gone = this.fold.disconnect(change.count)
    else {
      this.fold.connect(change.kind === 'connect' ? change.digits : this.#gone)
      this.#gone = ''
    }
  }

  async publish(run: Run): Promise<void> {
    let left = run.at
    const write = async (effect: () => Promise<void>) => {
      const isNow = left-- === 0
      if (isNow) for (const change of run.moves) this.move(change)
      if (isNow && run.kill === 'before') throw new KilledError()
      await effect()
      if (isNow && run.kill === 'after') throw new KilledError()
    }
    const published: PublishedBlocks<ToyMark> = {
      newest: () => this.kept.newest(),
      put: (blocks) => write(() => this.kept.put(blocks)),
      forget: (marks) => write(() => this.kept.forget(marks)),
    }
    const append = (batch: readonly NewRecord[]) =>
      write(async () => {
        this.records.push(...batch)
      })
    const parts = { feed: this.fold.feed, published, log: { append }, clock: this.clock }
    const publishing = publishFold(parts, new AbortController().signal)
    await publishing.catch((error: unknown) => {
      if (!(error instanceof KilledError)) throw error
    })
  }

  expectEqual(): void {
    const topic = compacted(this.records)
    for (const mark of this.fold.marks()) {
      const key = String(mark.revision)
      expect(topic.get(key), key).toEqual(connected(mark))
      topic.delete(key)
    }
    for (const [key, value] of topic) expect(value, key).toMatchObject({ kind: 'disconnected' })
    const kept = [...this.kept.newest()].toReversed()
    expect(kept).toEqual(this.fold.marks().map((mark) => ({ mark, isSettled: true })))
  }
}

const UNDISTURBED: Run = { at: 0, moves: [], kill: null }

/** What is being retracted when it is killed is on the chain again when it continues. */
const BACK_AGAIN: [(Move | Run)[]][] = [0, 1, 2].map((at) => [
  [
    { kind: 'connect', digits: '12' },
    UNDISTURBED,
    { kind: 'disconnect', count: 1 },
    { at, moves: [], kill: 'after' },
    { kind: 'return' },
  ],
])

test('whatever the chain does and wherever it is killed, the compacted topic is the fold', async () => {
  let killed = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const world = new World()
      for (const one of steps) {
        if ('at' in one) {
          await world.publish(one)
          if (one.kill) killed += 1
        } else world.move(one)
      }
      await world.publish(UNDISTURBED)
      world.expectEqual()
      const { length } = world.records
      await world.publish(UNDISTURBED)
      expect(world.records).toHaveLength(length)
    }),
    { numRuns: 1_500, examples: BACK_AGAIN },
  )
  expect(killed).toBeGreaterThan(1_000)
})
