import { expect, test } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../src/adapters/embedded/log/log.ts'
import { HistoryUnavailableError, type StoredRows } from '../../src/ports/views/history.ts'
import { projectHistory } from '../../src/projections/project-history.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { lifeOf, outcomeOf } from '../support/orders/order-changes.ts'
import { systemClock } from '../support/system-clock.ts'

const PARTITIONS = 2
/** Real turns of the event loop, waits a hundred times shorter. */
const clock = {
  ...systemClock,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 100, signal),
}

/** A history that is a list; while unavailable it fails, after having stored part of a batch. */
class ListedHistory {
  readonly batches: number[] = []
  readonly #rows = new Map<string, StoredRows>()
  isAway = false
  positionTakesMs = 0
  #isKept = true

  async record(changes: readonly StoredRows[]): Promise<void> {
    if (this.isAway) {
      this.#take(changes.slice(0, changes.length / 2))
      throw new HistoryUnavailableError('away')
    }
    this.#take(changes)
    this.batches.push(changes.length)
  }

  async resumeAt(partition: number): Promise<number> {
    if (this.isAway) throw new HistoryUnavailableError('away')
    await systemClock.sleep(this.positionTakesMs)
    this.#isKept = true
    return Math.max(0, ...this.rows(partition).map(({ offset }) => offset + 1))
  }

  async verifyStored(): Promise<void> {
    if (!this.#isKept) throw new HistoryUnavailableError('lost')
  }

  /** Drops the newest rows, as a power failure would. */
  loseTail(rows: number): void {
    for (const key of [...this.#rows.keys()].slice(-rows)) this.#rows.delete(key)
    this.#isKept = false
  }

  rows(partition: number): StoredRows[] {
    return [...this.#rows.values()].filter((row) => row.partition === partition)
  }

  #take(changes: readonly StoredRows[]): void {
    for (const row of changes) this.#rows.set(`${row.change.orderId} ${row.change.seq}`, row)
  }
}

async function inWorld(run: (log: EmbeddedLog, history: ListedHistory) => Promise<void>) {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const log = await EmbeddedLog.open({ store, partitions: PARTITIONS, clock })
  try {
    await run(log, new ListedHistory())
  } finally {
    await store.close()
    drop()
  }
}

async function project(
  log: EmbeddedLog,
  history: ListedHistory,
  until: () => boolean,
): Promise<unknown[]> {
  const stop = new AbortController()
  const failures: unknown[] = []
  const onFailure = ({ error }: { error: unknown }) => failures.push(error)
  const running = projectHistory({ log, history, clock, onFailure }, stop.signal)
  while (!until()) await systemClock.sleep(2)
  stop.abort()
  await running
  return failures
}

async function fill(log: EmbeddedLog, orders: number, seed: number): Promise<void> {
  const records = bookOf(orders, seed).flatMap((order, index) => {
    const { changes } = lifeOf([order])
    return [...changes, outcomeOf(`r ${seed} ${index}`, order.id)].map((value) => ({
      topic: TOPICS.lifecycle,
      partition: index % PARTITIONS,
      key: order.id,
      value,
    }))
  })
  await log.append(records)
}

const count = (history: ListedHistory) => history.rows(0).length + history.rows(1).length

test('changes of all partitions go in few large batches, outcomes in none', () =>
  inWorld(async (log, history) => {
    await fill(log, 2_400, 1)
    expect(await project(log, history, () => count(history) === 2_400)).toEqual([])
    expect(history.batches.length).toBeLessThanOrEqual(6)
    const [row] = history.rows(1)
    expect(row).toMatchObject({ partition: 1, offset: 0, change: { seq: 1 } })
  }))

test('while the history is unavailable rows wait, and none is missing afterwards', () =>
  inWorld(async (log, history) => {
    await fill(log, 40, 2)
    await project(log, history, () => count(history) === 40)
    await fill(log, 40, 3)
    history.isAway = true
    let polls = 0
    const failures = await project(log, history, () => {
      polls += 1
      if (polls === 50) history.isAway = false
      return count(history) === 80
    })
    expect(failures.length).toBeGreaterThan(1)
    expect(failures[0]).toBeInstanceOf(HistoryUnavailableError)
  }))

test('rows that the history loses while none comes are written again', () =>
  inWorld(async (log, history) => {
    await fill(log, 40, 4)
    let lost = false
    const failures = await project(log, history, () => {
      if (!lost && count(history) === 40) {
        history.loseTail(12)
        lost = true
        return false
      }
      return lost && count(history) === 40
    })
    expect(failures).toEqual([new HistoryUnavailableError('lost')])
  }))

test('a position that takes longer to read than the watch waits is read once', () =>
  inWorld(async (log, history) => {
    await fill(log, 40, 5)
    let lost = false
    const failures = await project(log, history, () => {
      if (!lost && count(history) === 40) {
        history.loseTail(12)
        history.positionTakesMs = 400
        lost = true
        return false
      }
      return lost && count(history) === 40
    })
    expect(failures).toEqual([new HistoryUnavailableError('lost')])
  }))

test('rows of more than the log has are refused, until the history is empty', () =>
  inWorld(async (log, history) => {
    await fill(log, 4, 7)
    const [change] = lifeOf(bookOf(1, 8)).changes
    await history.record([{ partition: 1, offset: 40, change: change! } as StoredRows])
    let polls = 0
    const failures = await project(log, history, () => {
      polls += 1
      if (polls === 20) history.loseTail(1)
      return count(history) === 4
    })
    expect(String(failures[0])).toMatch(
      /^AheadOfLogError: the rows of the history of partition 1 are at offset 41, .* ends at 4/,
    )
  }))
