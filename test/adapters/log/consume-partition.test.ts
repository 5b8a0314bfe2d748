import { describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/adapters/embedded/system-clock.ts'
import {
  consumePartition,
  type PartitionFailure,
} from '../../../src/adapters/log/consume-partition.ts'
import type { InboxWorker, Stored, WorkerOutput } from '../../../src/ports/log/event-log.ts'
import {
  RecordTooLargeError,
  StorageUnavailableError,
} from '../../../src/ports/log/storage-errors.ts'
import type { SnapshotRecord } from '../../../src/schemas/log.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const clock = { ...systemClock, sleep: async () => {} }
const recordsOf = (count: number): Stored<unknown>[] =>
  Array.from({ length: count }, (_, n) => ({ partition: 0, offset: 2 * n, value: n }))

/** A partition in memory, of which some records have effects that its log refuses. */
class Partition {
  readonly committed: number[] = []
  readonly setAside: number[] = []
  readonly dead: string[] = []
  readonly offsets: number[] = []
  readonly failures: PartitionFailure[] = []
  readonly #records: readonly Stored<unknown>[]
  readonly #refused: ReadonlySet<unknown>
  readonly #stop = new AbortController()
  readonly #workerOf: (partition: Partition) => Partial<InboxWorker>

  constructor(
    records: readonly Stored<unknown>[],
    refused: readonly number[],
    workerOf: (partition: Partition) => Partial<InboxWorker> = () => ({}),
  ) {
    this.#records = records
    this.#refused = new Set(refused)
    this.#workerOf = workerOf
  }

  async run(): Promise<void> {
    await consumePartition(
      {
        partition: 0,
        open: async () => this.#open(),
        batches: () => this.#batches(),
        commit: async (output, next) => this.#commit(output, next),
        clock,
        onPoint: () => {},
        onFailure: (failure) => this.failures.push(failure),
      },
      this.#stop.signal,
    )
  }

  #open(): InboxWorker {
    return {
      step: async (batch) => outputOf(batch),
      committed: () => {},
      close: async () => {},
      ...this.#workerOf(this),
    }
  }

  async *#batches() {
    const from = this.offsets.at(-1) ?? 0
    const rest = this.#records.filter(({ offset }) => offset >= from)
    if (rest.length > 0) yield rest
    else this.#stop.abort()
  }

  async #commit({ lifecycle, dead }: WorkerOutput, next: number): Promise<void> {
    const values = lifecycle.map((value) => Number(value))
    if (values.some((value) => this.#refused.has(value))) throw new RecordTooLargeError('too large')
    this.committed.push(...values)
    this.dead.push(...dead.map(({ record, reason }) => `${record.offset} ${reason}`))
    this.offsets.push(next)
  }
}

/** The effects of a step over these records: their values name them. */
const outputOf = (batch: readonly Stored<unknown>[]): WorkerOutput => ({
  lifecycle: batch.map(({ value }) => value) as unknown as WorkerOutput['lifecycle'],
  snapshots: [],
  dead: [],
})

const NOTHING: WorkerOutput = { lifecycle: [], snapshots: [], dead: [] }
const A_PART: WorkerOutput = { ...NOTHING, snapshots: [{} as SnapshotRecord] }

describe('effects that the log refuses as too large', () => {
  test('belong to one record: it is a dead letter, and all others are consumed once, in order', async () => {
    const partition = new Partition(recordsOf(250), [7, 130, 131])
    await partition.run()
    const wanted = recordsOf(250).map(({ value }) => Number(value))
    expect(partition.committed).toEqual(wanted.filter((n) => ![7, 130, 131].includes(n)))
    expect(partition.dead).toEqual([
      expect.stringMatching(/^14 too large/),
      expect.stringMatching(/^260 too large/),
      expect.stringMatching(/^262 too large/),
    ])
    expect(partition.offsets).toEqual(partition.offsets.toSorted((a, b) => a - b))
  })

  test('are handed to the worker, which says what becomes of the record', async () => {
    const partition = new Partition(recordsOf(3), [1], (of) => ({
      setAside: async (record, reason) => {
        of.setAside.push(record.offset)
        return { lifecycle: [], snapshots: [], dead: [{ record, reason }], taken: 1 }
      },
    }))
    await partition.run()
    expect(partition.setAside).toEqual([2])
    expect(partition.committed).toEqual([0, 2])
  })

  test('are not looked for where the log is only unavailable', async () => {
    let isAway = true
    const partition = new Partition(recordsOf(3), [], () => ({
      step: async (batch) => {
        if (!isAway) return outputOf(batch)
        isAway = false
        throw new StorageUnavailableError('io', 'no broker')
      },
    }))
    await partition.run()
    expect(partition.committed).toEqual([0, 1, 2])
    expect(partition.failures).toHaveLength(1)
    expect(partition.offsets).toEqual([5])
  })
})

describe('a worker that processes part of a batch', () => {
  test('is given the rest after the commit, from the offset of its first record', async () => {
    const partition = new Partition(recordsOf(5), [], () => ({
      step: async (batch) => ({ ...outputOf(batch.slice(0, 2)), taken: Math.min(2, batch.length) }),
    }))
    await partition.run()
    expect(partition.committed).toEqual([0, 1, 2, 3, 4])
    expect(partition.offsets).toEqual([4, 8, 9])
  })

  test('is given a record again of which it processed part', async () => {
    let parts = 0
    const partition = new Partition(recordsOf(2), [], () => ({
      step: async (batch) => {
        parts += 1
        if (parts < 3) return { ...A_PART, taken: 0 }
        return { ...outputOf(batch.slice(0, 1)), taken: 1 }
      },
    }))
    await partition.run()
    expect(partition.committed).toEqual([0, 1])
    expect(partition.offsets).toEqual([0, 0, 2, 3])
  })
})

describe('steps without effect', () => {
  test('commit nothing: the next that has one commits their position', async () => {
    await using inbox = new Inbox()
    inbox.put('nothing', 'nothing')
    await inbox.stepped(2)
    inbox.put('change')
    await inbox.stepped(3)
    expect(inbox.commits).toEqual([{ next: 3, effects: 1 }])
  })

  test('commit their position when none with an effect arrives', async () => {
    await using inbox = new Inbox()
    inbox.put('nothing')
    await inbox.stepped(1)
    await inbox.pass(2_000)
    inbox.put('nothing')
    await inbox.stepped(2)
    await inbox.pass(900)
    expect(inbox.commits).toEqual([])
    await inbox.pass(200)
    expect(inbox.commits).toEqual([{ next: 2, effects: 0 }])
    await inbox.pass(60_000)
    expect(inbox.commits).toHaveLength(1)
  })

  test('commit their position under records that never pause', async () => {
    await using inbox = new Inbox()
    for (let stepped = 1; stepped <= 40; stepped += 1) {
      inbox.put('nothing')
      await inbox.stepped(stepped)
      await inbox.pass(100)
    }
    expect(inbox.commits).toEqual([{ next: 30, effects: 0 }])
  })

  test('are stepped again where their position could not be committed', async () => {
    await using inbox = new Inbox()
    inbox.fails = 1
    inbox.put('nothing', 'nothing')
    await inbox.stepped(2)
    await inbox.pass(3_000)
    expect(inbox.failures).toHaveLength(1)
    await inbox.pass(50)
    await inbox.stepped(4)
    await inbox.pass(3_000)
    expect(inbox.commits).toEqual([{ next: 2, effects: 0 }])
  })
})

/** Records as they are added, consumed by a worker that changes something at each `change`. */
class Inbox {
  readonly #clock = new ManualClock()
  readonly commits: { next: number; effects: number }[] = []
  readonly failures: PartitionFailure[] = []
  fails = 0
  #steps = 0
  #wake = () => {}
  readonly #records: Stored<unknown>[] = []
  readonly #stop = new AbortController()
  readonly #done: Promise<void>

  constructor() {
    this.#done = consumePartition(
      {
        partition: 0,
        open: async () => ({
          step: async (batch) => {
            this.#steps += batch.length
            const changes = batch.filter(({ value }) => value === 'change')
            return changes.length > 0 ? A_PART : NOTHING
          },
          committed: () => {},
          close: async () => {},
        }),
        batches: (signal) => this.#batches(signal),
        commit: async ({ snapshots }, next) => {
          this.fails -= 1
          if (this.fails >= 0) throw new StorageUnavailableError('io', 'no broker')
          this.commits.push({ next, effects: snapshots.length })
        },
        clock: this.#clock,
        onPoint: () => {},
        onFailure: (failure) => this.failures.push(failure),
      },
      this.#stop.signal,
    )
  }

  put(...values: readonly string[]): void {
    for (const value of values)
      this.#records.push({ partition: 0, offset: this.#records.length, value })
    this.#wake()
  }

  async stepped(records: number): Promise<void> {
    await vi.waitFor(() => expect(this.#steps).toBe(records), { timeout: 20_000, interval: 1 })
    await settled()
  }

  async pass(ms: number): Promise<void> {
    this.#clock.advance(ms)
    await settled()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#done
  }

  async *#batches(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#wake(), { once: true })
    let next = this.commits.at(-1)?.next ?? 0
    while (!signal.aborted) {
      const batch = this.#records.slice(next)
      next = this.#records.length
      if (batch.length > 0) yield batch
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}

/** Everything that needs no time to pass has finished. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
}
