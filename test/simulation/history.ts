import { toActivity } from '../../src/domain/order/activity.ts'
import {
  type History,
  HistoryUnavailableError,
  type StoredRows,
} from '../../src/ports/views/history.ts'
import type { ChangeRecord } from '../../src/schemas/log.ts'
import type { OrderId } from '../../src/schemas/scalars.ts'
import type { Process } from './process.ts'

/** The history as a store has it: rows by (order, seq); duplicates count once. */
export class SimHistory {
  isAway = false
  /** How often acknowledged rows were lost. */
  losses = 0
  readonly #rows = new Map<string, Map<number, Row>>()
  readonly #latest: StoredRows[] = []

  record(changes: readonly StoredRows[]): void {
    for (const stored of changes) {
      const { orderId, seq } = stored.change
      const rows = this.#rows.get(orderId) ?? new Map<number, Row>()
      const copies = (rows.get(seq)?.copies ?? 0) + 1
      this.#rows.set(orderId, rows.set(seq, { ...stored, copies }))
      this.#latest.push(stored)
    }
  }

  /** Up to which every row exists, contiguous for each order. */
  position(partition: number): number {
    let end = 0
    let gap = Number.POSITIVE_INFINITY
    for (const rows of this.#rows.values()) {
      const here = [...rows.values()].filter((row) => row.partition === partition)
      if (here.length === 0) continue
      const bySeq = here.toSorted((a, b) => a.change.seq - b.change.seq)
      const whole = bySeq.findIndex(({ change }, at) => change.seq !== at + 1)
      end = Math.max(end, ...bySeq.map(({ offset }) => offset + 1))
      if (whole >= 0) gap = Math.min(gap, whole === 0 ? 0 : (bySeq[whole - 1]?.offset ?? -1) + 1)
    }
    return Math.min(end, gap)
  }

  /** Is some change of these records missing? */
  isBehind(records: readonly { value: unknown }[]): boolean {
    return records.some(({ value }) => {
      const { orderId, seq } = value as Partial<ChangeRecord>
      return seq !== undefined && !this.#rows.get(orderId ?? '')?.has(seq)
    })
  }

  /** The newest rows are lost, as in a power cut. */
  loseTail(count: number): void {
    this.losses += 1
    for (const { change } of this.#latest.splice(Math.max(0, this.#latest.length - count))) {
      const rows = this.#rows.get(change.orderId)
      const row = rows?.get(change.seq)
      if (row && row.copies > 1) rows?.set(change.seq, { ...row, copies: row.copies - 1 })
      else rows?.delete(change.seq)
    }
  }

  *all(): Generator<StoredRows> {
    for (const rows of this.#rows.values()) yield* rows.values()
  }
}

interface Row extends StoredRows {
  /** How often it was written, and not lost. */
  copies: number
}

/** The history as one process sees it. */
export function historyOf(history: SimHistory, process: Process): History {
  const trouble = () => new HistoryUnavailableError('simulated: no answer of the history')
  /** By partition, how often rows had been lost when its position was read. */
  const seen = new Map<number, number>()
  const kept = (known: readonly number[]) => {
    if (known.every((losses) => losses === history.losses)) return
    throw new HistoryUnavailableError('simulated: rows are gone that were there')
  }
  const present = <T>(effect: () => T) => {
    if (history.isAway) throw trouble()
    return effect()
  }
  const position: History['position'] = (partition) =>
    process.call({
      kind: 'read',
      name: 'history.position',
      effect: () =>
        present(() => {
          seen.set(partition, history.losses)
          return history.position(partition)
        }),
      trouble,
    })
  return {
    record: (changes) => {
      const known = [...seen.values()]
      return process.call({
        kind: 'write',
        name: 'history.record',
        effect: () =>
          present(() => {
            kept(known)
            history.record(changes)
          }),
        trouble,
      })
    },
    position,
    resumeAt: position,
    verifyStored: () => {
      const effect = () => present(() => kept([...seen.values()]))
      return process.call({ kind: 'read', name: 'history.kept', effect, trouble })
    },
    activity: async () => {
      const entries = [...history.all()].flatMap(({ change }) => toActivity(change) ?? [])
      return { entries, next: null }
    },
    lastSeq: async (orderId) => {
      const rows = [...history.all()].filter(({ change }) => change.orderId === orderId)
      return Math.max(0, ...rows.map(({ change }) => change.seq))
    },
    async *summary() {
      const counts = new Map<OrderId, { rows: number; maxSeq: number }>()
      for (const { change } of history.all()) {
        const { rows, maxSeq } = counts.get(change.orderId) ?? { rows: 0, maxSeq: 0 }
        counts.set(change.orderId, { rows: rows + 1, maxSeq: Math.max(maxSeq, change.seq) })
      }
      for (const [orderId, count] of counts) yield { orderId, ...count }
    },
    probe: async () => {},
    close: async () => {},
  }
}
