import { describe, expect, test } from 'vitest'
import type {
  EventLog,
  InboxWorker,
  PartitionState,
  Stored,
} from '../../src/ports/log/event-log.ts'
import { TOPICS, type Topic } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { toBlockHash, toOrderId } from '../support/ids.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { outcomeOf, partitionSnapshotOf } from '../support/orders/order-changes.ts'

export interface OpenedLog {
  log: EventLog
  /** The same log opened again, as after a restart; `log` is not used any longer. */
  reopen(): Promise<EventLog>
  close(): Promise<void>
}

/**
 * What every event log does, whatever it is made of. `open` gives an empty one, of 3 partitions.
 */
export function eventLogContract(name: string, open: () => Promise<OpenedLog>): void {
  const withLog = (run: (opened: OpenedLog) => Promise<void>) => async () => {
    const opened = await open()
    try {
      await run(opened)
    } finally {
      await opened.close()
    }
  }

  describe(`EventLog/${name}`, () => {
    test(
      'returns records of a partition in the order they were appended, from an offset on',
      withLog(async ({ log }) => {
        await log.append([inbox(1, 'a'), inbox(1, 'b'), inbox(2, 'other')])
        await log.append([inbox(1, 'c')])
        const all = await take(log, TOPICS.inbox, 1, 0, 3)
        expect(all.map(({ value }) => value)).toEqual(['a', 'b', 'c'])
        const from = await take(log, TOPICS.inbox, 1, all[1]!.offset, 2)
        expect(from).toEqual(all.slice(1))
        expect(await log.end(TOPICS.inbox, 1)).toBeGreaterThan(all[2]!.offset)
      }),
    )

    test(
      'returns what is stored below an offset alone',
      withLog(async ({ log }) => {
        await log.append(['a', 'b', 'c', 'd'].map((value) => inbox(1, value)))
        const all = await take(log, TOPICS.inbox, 1, 0, 4)
        const below = async (from: number, until?: number) => {
          const values: unknown[] = []
          for await (const batch of log.stored(TOPICS.inbox, 1, all[from]!.offset, until))
            values.push(...batch.map(({ value }) => value))
          return values
        }
        expect(await below(1, all[3]!.offset)).toEqual(['b', 'c'])
        expect(await below(2, all[2]!.offset + 1)).toEqual(['c'])
        expect(await below(2, all[2]!.offset)).toEqual([])
        expect(await below(2, all[3]!.offset + 100)).toEqual(['c', 'd'])
        expect(await below(2)).toEqual(['c', 'd'])
      }),
    )

    test(
      'has an id of its own, the same after a restart',
      withLog(async (opened) => {
        const { id } = opened.log
        expect((await opened.reopen()).id).toBe(id)
        const other = await open()
        try {
          expect(other.log.id).not.toBe(id)
        } finally {
          await other.close()
        }
      }),
    )

    test(
      'a reader at the end gets new records',
      withLog(async ({ log }) => {
        const coming = take(log, TOPICS.blocks, 0, 0, 2)
        await log.append([{ topic: TOPICS.blocks, partition: 0, key: '', value: 'first' }])
        await log.append([{ topic: TOPICS.blocks, partition: 0, key: '', value: 'second' }])
        expect((await coming).map(({ value }) => value)).toEqual(['first', 'second'])
      }),
    )

    test(
      'a reader ends when its signal aborts',
      withLog(async ({ log }) => {
        const stop = new AbortController()
        const reading = (async () => {
          for await (const _ of log.read(TOPICS.inbox, 0, 0, stop.signal));
        })()
        stop.abort()
        await expect(reading).resolves.toBeUndefined()
      }),
    )

    test(
      'every inbox record is consumed once, in order, across restarts and failed steps',
      withLog(async (opened) => {
        await opened.log.append(range(0, 450).map((n) => inbox(0, n)))
        const seen = new Counter({ failAt: new Set([2, 4]) })
        await runUntil(opened.log, seen, () => seen.counted === 450)
        const log = await opened.reopen()
        await log.append(range(450, 500).map((n) => inbox(0, n)))
        const again = new Counter({ failAt: new Set() })
        await runUntil(log, again, () => again.counted === 50)

        const outcomes = await take(log, TOPICS.lifecycle, 0, 0, 500)
        expect(outcomes.map(({ value }) => (value as { requestId: string }).requestId)).toEqual(
          range(0, 500).map(String),
        )
        expect(seen.opened).toBeGreaterThanOrEqual(3)
        expect(seen.stepsBeforeCommit).toBe(0)
      }),
    )

    test(
      'what a partition has consumed is its committed offset, across restarts',
      withLog(async (opened) => {
        await opened.log.append([inbox(0, 'a'), inbox(0, 'b'), inbox(1, 'c')])
        expect(await opened.log.consumed(0)).toBe(0)
        const seen = new Counter({ failAt: new Set() })
        await runUntil(opened.log, seen, () => seen.counted === 3)
        const log = await opened.reopen()
        for (const [partition, records] of [2, 1].entries()) {
          const last = (await take(log, TOPICS.inbox, partition, 0, records)).at(-1)!
          expect(await log.consumed(partition)).toBe(last.offset + 1)
        }
        expect(await log.consumed(2)).toBe(0)
      }),
    )

    test(
      'a record that a worker cannot process goes to the dead letters, and the partition continues',
      withLog(async ({ log }) => {
        await log.append([inbox(2, 'good'), inbox(2, 'poison'), inbox(2, 'good')])
        let done = 0
        const open = workerOf(({ batch }) => {
          done += batch.length
          const poison = batch.filter(({ value }) => value === 'poison')
          return {
            lifecycle: [],
            snapshots: [],
            dead: poison.map((record) => ({ record, reason: 'unreadable' })),
          }
        })
        await runUntil(log, { open }, () => done === 3)
        const [letter] = await take(log, TOPICS.dead, 2, 0, 1)
        expect(letter!.value).toMatchObject({ kind: 'dead', reason: 'unreadable', value: 'poison' })
      }),
    )

    test(
      'snapshots are found by id, outpoint, height, state and what they wait for; closed ones by id',
      withLog(async (opened) => {
        const orders = snapshotBook()
        await commit(opened.log, orders)
        const log = await opened.reopen()
        const state = await stateOf(log, 1)
        const { snapshots } = state
        const [live, settledHigh, waiting, closed] = orders
        expect(snapshots.order(live!.id)?.order).toEqual(live)
        expect(snapshots.order(closed!.id)?.order.closedAt).toEqual(closed!.closedAt)
        expect([...snapshots.ordersAt(live!.outpoint)].sort()).toEqual(
          [live!.id, settledHigh!.id].sort(),
        )
        expect(snapshots.ordersAt(closed!.outpoint)).toEqual([])
        expect([...snapshots.unsettled()]).toEqual([waiting!.id])
        expect([...snapshots.above(800)].sort()).toEqual([settledHigh!.id, live!.id].sort())
        expect([...snapshots.above(801)]).toEqual([settledHigh!.id])
        expect(snapshots.live(null, 10)).toEqual([live!.id])
        expect(snapshots.live(live!.id, 10)).toEqual([])
        const others = [settledHigh!.id, waiting!.id].sort()
        expect(snapshots.others(null, 10)).toEqual(others)
        expect(snapshots.others(null, 1)).toEqual(others.slice(0, 1))
        expect(snapshots.others(others[0]!, 10)).toEqual(others.slice(1))
        expect(snapshots.partitionSnapshot()).toEqual(partitionSnapshotOf(1, 4, 0))
        expect(state.lifecycleEnd()).toBe(await log.end(TOPICS.lifecycle, 1))
      }),
    )

    test(
      'a watermark is shown after all changes of its commit',
      withLog(async (opened) => {
        const { log } = opened
        await log.append([inbox(1, 'go')])
        let done = false
        const open = workerOf(
          ({ state }) => ({
            lifecycle: ['a', 'b'].map((id) => outcomeOf(id, toOrderId('ab'.repeat(32)))),
            snapshots: [partitionSnapshotOf(1, 4, state.lifecycleEnd())],
            dead: [],
          }),
          () => {
            done = true
          },
        )
        await runUntil(log, { open }, () => done)
        const changes = await take(log, TOPICS.lifecycle, 1, 0, 2)
        const { snapshots } = await stateOf(await opened.reopen(), 1)
        expect(snapshots.partitionSnapshot()?.lifecycleEnd).toBe(changes[1]!.offset + 1)
      }),
    )

    test(
      'a changed order is found only by its present values',
      withLog(async (opened) => {
        const [live] = snapshotBook()
        await commit(opened.log, [live!])
        const spent = { ...live!, state: 'SPENT' as const, outputBlock: null }
        await commit(opened.log, [spent])
        const { snapshots } = await stateOf(opened.log, 1)
        expect(snapshots.live(null, 10)).toEqual([])
        expect(snapshots.others(null, 10)).toEqual([spent.id])
        expect([...snapshots.above(0)]).toEqual([])
        expect(snapshots.ordersAt(spent.outpoint)).toEqual([spent.id])
        const read = await take(opened.log, TOPICS.snapshots, 1, 0, 1, (value) =>
          JSON.stringify(value).includes('"SPENT"'),
        )
        expect(read).toHaveLength(1)
      }),
    )
  })
}

// ---- doing what a role does --------------------------------------------------------------------

const inbox = (partition: number, value: unknown) => ({
  topic: TOPICS.inbox,
  partition,
  key: `key ${String(value)}`,
  value,
})

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

/** The next records of a partition, of those that pass. */
export async function take(
  log: EventLog,
  topic: Topic,
  partition: number,
  from: number,
  count: number,
  passes: (value: unknown) => boolean = () => true,
): Promise<Stored<unknown>[]> {
  const stop = new AbortController()
  const found: Stored<unknown>[] = []
  for await (const batch of log.read(topic, partition, from, stop.signal)) {
    found.push(...batch.filter(({ value }) => passes(value)))
    if (found.length >= count) break
  }
  return found.slice(0, count)
}

type Step = (given: {
  batch: readonly Stored<unknown>[]
  state: PartitionState
}) => ReturnType<InboxWorker['step']> extends Promise<infer T> ? T : never

const workerOf =
  (step: Step, onCommitted: () => void = () => {}) =>
  async (state: PartitionState): Promise<InboxWorker> => ({
    step: async (batch) => step({ batch, state }),
    committed: onCommitted,
    close: async () => {},
  })

/** Counts what was committed; some steps fail after they have computed. */
/** Records of a batch that one of its steps takes. */
const STEP = 100

class Counter {
  counted = 0
  opened = 0
  stepsBeforeCommit = 0
  #steps = 0
  readonly #failAt: ReadonlySet<number>

  constructor({ failAt }: { failAt: ReadonlySet<number> }) {
    this.#failAt = failAt
  }

  readonly open = async (state: PartitionState): Promise<InboxWorker> => {
    if (state.partition === 0) this.opened += 1
    let uncommitted = 0
    return {
      step: async (batch) => {
        if (uncommitted > 0) this.stepsBeforeCommit += 1
        this.#steps += 1
        if (this.#failAt.has(this.#steps)) throw new Error('the step fails')
        const taken = batch.slice(0, STEP)
        uncommitted = taken.length
        const lifecycle = taken.map(({ value }) =>
          outcomeOf(String(value), toOrderId('ab'.repeat(32))),
        )
        return { lifecycle, snapshots: [], dead: [], taken: taken.length }
      },
      committed: () => {
        this.counted += uncommitted
        uncommitted = 0
      },
      close: async () => {},
    }
  }
}

async function runUntil(
  log: EventLog,
  { open }: { open: (state: PartitionState) => Promise<InboxWorker> },
  done: () => boolean,
): Promise<void> {
  const stop = new AbortController()
  const running = log.processInbox(open, stop.signal)
  const deadline = Date.now() + 20_000
  while (!done() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
  stop.abort()
  await running
  expect(done()).toBe(true)
}

async function stateOf(log: EventLog, partition: number): Promise<PartitionState> {
  let found: PartitionState | undefined
  const open = async (state: PartitionState): Promise<InboxWorker> => {
    if (state.partition === partition) found = state
    const output = { lifecycle: [], snapshots: [], dead: [] }
    return { step: async () => output, committed() {}, close: async () => {} }
  }
  await runUntil(log, { open }, () => found !== undefined)
  return found!
}

/** Snapshots in partition 1, by a step that a record there causes. */
async function commit(log: EventLog, orders: readonly OrderRecord[]): Promise<void> {
  let done = false
  const open = workerOf(
    ({ state }) => ({
      lifecycle: [],
      snapshots: [
        ...orders.map((order) => ({ schema: 1 as const, kind: 'order' as const, order })),
        partitionSnapshotOf(1, 4, state.lifecycleEnd()),
      ],
      dead: [],
    }),
    () => {
      done = true
    },
  )
  await log.append([inbox(1, 'go')])
  await runUntil(log, { open }, () => done)
}

function snapshotBook(): OrderRecord[] {
  const block = (height: number) => ({ height, hash: toBlockHash('bb'.repeat(32)) })
  const [a, b, c, d] = bookOf(4, 11).map((order) => ({
    ...order,
    side: 'ASK' as const,
    outputBlock: block(801),
    reason: 'verified',
  }))
  return [
    { ...a!, state: 'LIVE' as const },
    { ...b!, state: 'SETTLED' as const, outpoint: a!.outpoint, outputBlock: block(900) },
    { ...c!, state: 'PENDING_NODE' as const, outputBlock: null },
    { ...d!, state: 'SPENT' as const, closedAt: '2026-01-09T00:00:00.000Z' },
  ]
}
