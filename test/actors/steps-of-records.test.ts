import { describe, expect, test } from 'vitest'
import { MemorySnapshots } from '../../src/actors/memory-snapshots.ts'
import { openOrderWorker } from '../../src/actors/order-worker.ts'
import { STEP_CHANGES, STEP_MS } from '../../src/actors/step-batch.ts'
import { storedWith } from '../../src/adapters/log/inbox-news.ts'
import type { InboxWorker, Stored } from '../../src/ports/log/event-log.ts'
import { pace } from '../../src/runtime/time-slice.ts'
import { type InboxRecord, TOPICS } from '../../src/schemas/log.ts'
import { toOutpointText } from '../support/ids.ts'
import { idleWorker } from '../support/log/idle-worker.ts'
import { watermark } from '../support/log/watermarks.ts'
import { importOf, spendNews } from '../support/log/worker-host.ts'
import { askClaim, hash, spendBy } from '../support/orders/evidence.ts'

const MANY = 4_000
/** A turn of the event loop is taken after at most so many milliseconds (`src/runtime/time-slice.ts`). */
const STRETCH_MS = 10

/** Time that passes only by work, and where each turn of the event loop began. */
class WorkClock {
  ms = 0
  readonly turns: number[] = []

  readonly monotonic = () => this.ms

  readonly turn = async () => {
    this.turns.push(this.ms)
    // Others have theirs meanwhile.
    this.ms += 1_000
    this.turns.push(this.ms)
  }

  /** The longest work between two turns. */
  get longest(): number {
    const bounds = [0, ...this.turns, this.ms]
    const stretches = bounds.filter((_, at) => at % 2 === 1).map((end, at) => end - bounds[2 * at]!)
    return Math.max(...stretches)
  }
}

const workerOn = (clock: WorkClock): Promise<InboxWorker> =>
  openOrderWorker({ ...idleWorker(1), monotonic: clock.monotonic, pace: pace(clock) })({
    partition: 0,
    snapshots: new MemorySnapshots(),
    lifecycleEnd: () => 0,
  })

const stored = (value: InboxRecord, offset: number): Stored<unknown> =>
  storedWith(TOPICS.inbox, 'outpoint' in value ? value.outpoint : '', {
    partition: 0,
    offset,
    value,
  })
const outputOf = (n: number) => toOutpointText(`${hash(`output ${n}`)}:0`)
const newsOf = (n: number) => spendNews('seen', spendBy('thief'), outputOf(n))
const importNth = (n: number, wrapper = 'wrapper') => {
  const source = { sourceId: 'test' }
  const claim = askClaim({ offer: { outpoint: outputOf(n) }, wrapper, source })
  return importOf(claim, `${n}`, hash(`${n}`))
}

/** The record costs so much time wherever it is looked at. */
function costing(clock: WorkClock, ms: number, record: Stored<unknown>): Stored<unknown> {
  const { partition, offset, value, newsOf } = record
  const cost = <T>(one: T): T => {
    clock.ms += ms
    return one
  }
  return newsOf === undefined
    ? {
        ...{ partition, offset },
        get value() {
          return cost(value)
        },
      }
    : {
        ...{ partition, offset, value },
        get newsOf() {
          return cost(newsOf)
        },
      }
}

describe('a step', () => {
  test('takes all records that concern no order, whose values are not read', async () => {
    const worker = await workerOn(new WorkClock())
    const records = Array.from({ length: MANY }, (_, n) => {
      const record = stored(newsOf(n), n)
      return {
        ...record,
        get value(): unknown {
          throw new Error('read')
        },
      }
    })
    expect(await worker.step(records)).toEqual({
      ...{ lifecycle: [], snapshots: [], dead: [], owed: [] },
      taken: MANY,
    })
  })

  test('ends with the record after which it has as many changes as one commit takes', async () => {
    const worker = await workerOn(new WorkClock())
    const records = Array.from({ length: MANY }, (_, n) => stored(importNth(n), n))
    const { lifecycle, taken = 0 } = await worker.step(records)
    expect(lifecycle.length).toBeGreaterThanOrEqual(STEP_CHANGES)
    expect(taken).toBeLessThan(MANY)
    worker.committed()
    const next = await worker.step(records.slice(taken))
    expect(next.lifecycle.length, 'what was committed counts no longer').toBe(lifecycle.length)
  })

  test('ends with the record after which it has moved as many bytes as one commit takes', async () => {
    const worker = await workerOn(new WorkClock())
    // 100,000 characters of base64.
    const large = 'x'.repeat(75_000)
    const records = Array.from({ length: MANY }, (_, n) => stored(importNth(n, large), n))
    const { taken } = await worker.step(records)
    // 4 MiB by the estimate of 4 bytes for each character of a wrapper.
    expect(taken).toBe(11)
  })

  test('ends with the record after which it has worked for as long as a commit may wait', async () => {
    const clock = new WorkClock()
    const worker = await workerOn(clock)
    const records = Array.from({ length: MANY }, (_, n) =>
      costing(clock, 2, stored(watermark(n), n)),
    )
    const { taken } = await worker.step(records)
    expect(taken, 'without the turns of others').toBe(STEP_MS / 2)
  })

  test('leaves the event loop its turns, also among records that are passed over', async () => {
    const clock = new WorkClock()
    const worker = await workerOn(clock)
    const passed = Array.from({ length: MANY }, (_, n) =>
      costing(clock, 0.01, stored(newsOf(n), n)),
    )
    expect((await worker.step(passed)).taken).toBe(MANY)
    expect(clock.turns.length).toBeGreaterThan(0)
    const read = Array.from({ length: MANY }, (_, n) => costing(clock, 1, stored(watermark(n), n)))
    await worker.step(read)
    expect(clock.longest).toBeGreaterThan(0)
    expect(clock.longest).toBeLessThanOrEqual(STRETCH_MS + 1)
  })
})
