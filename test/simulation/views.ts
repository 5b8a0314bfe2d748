import { foldOrder, placeOf } from '../../src/domain/order/fold-order.ts'
import { answerOf } from '../../src/domain/order/stored-answer.ts'
import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import {
  type OrderViews,
  type PartitionFreshness,
  type StoredOrder,
  type StoredOutcome,
  type ViewBatch,
  ViewGapError,
} from '../../src/ports/views/order-views.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import type { Process } from './process.ts'

/** What a reader of the views may see, reported after every write. */
export interface ViewListener {
  viewed(orders: readonly StoredOrder[]): void
  freshened(partition: number, freshness: PartitionFreshness): void
  told(requestId: string, outcome: StoredOutcome): void
}

/** The order views as a store has them: every write is all or nothing, and decides by seq. */
export class SimViews {
  readonly orders = new Map<string, { partition: number; order: OrderRecord }>()
  readonly freshness = new Map<number, PartitionFreshness>()
  readonly outcomes = new Map<string, StoredOutcome>()
  /** Run when the outcome of a request exists. */
  readonly waiting = new Map<string, () => void>()
  readonly #positions = new Map<number, number>()
  readonly #listener: ViewListener

  constructor(listener: ViewListener) {
    this.#listener = listener
  }

  apply({ partition, nextOffset, records }: ViewBatch): void {
    const folded = new Map<string, OrderRecord>()
    for (const record of records) {
      if (record.kind === 'outcome') continue
      const { orderId, seq } = record
      const order = folded.get(orderId) ?? this.orders.get(orderId)?.order ?? null
      const place = placeOf(order, record)
      if (place === 'gap') throw new ViewGapError(orderId, order?.seq ?? 0, seq)
      if (place === 'next') folded.set(orderId, foldOrder(order, record))
    }
    for (const [id, order] of folded) this.orders.set(id, { partition, order })
    this.#positions.set(partition, Math.max(nextOffset, this.position(partition)))
    this.#listener.viewed([...folded.keys()].flatMap((id) => this.order(id) ?? []))
    for (const record of records) {
      if (record.kind !== 'outcome') continue
      const { requestId, orderId, outcome } = record
      this.outcomes.set(requestId, { orderId, outcome })
      this.#listener.told(requestId, { orderId, outcome })
      this.waiting.get(requestId)?.()
    }
  }

  applyFreshness(partition: number, freshness: PartitionFreshness): void {
    this.freshness.set(partition, freshness)
    this.#listener.freshened(partition, freshness)
  }

  position(partition: number): number {
    return this.#positions.get(partition) ?? 0
  }

  order(id: string): StoredOrder | null {
    const stored = this.orders.get(id)
    return stored ? { ...stored, freshness: this.freshness.get(stored.partition) ?? null } : null
  }

  /** Everything is gone. */
  flush(): void {
    this.orders.clear()
    this.freshness.clear()
    this.#positions.clear()
  }
}

/**
 * The views as one process sees them. If they have less than this process wrote or read, they
 * refuse writes until the position is read again: a flushed store is filled, never shown as fresh.
 */
export function viewsOf(views: SimViews, process: Process): OrderViews {
  const trouble = () => new StorageUnavailableError('io', 'simulated: no answer of the views')
  const reached = new Map<number, number>()
  const write = (name: string, partition: number, effect: () => void) => {
    const asked = reached.get(partition) ?? 0
    return process.call({
      kind: 'write',
      name: `views.${name}`,
      effect: () => {
        if (views.position(partition) < asked)
          throw new StorageUnavailableError('io', 'simulated: the views have lost what they had')
        effect()
        reached.set(partition, views.position(partition))
      },
      trouble,
    })
  }
  const read = <T>(name: string, effect: () => T) =>
    process.call({ kind: 'read', name: `views.${name}`, effect, trouble })
  return {
    apply: (batch) => write('apply', batch.partition, () => views.apply(batch)),
    applyFreshness: (partition, freshness) =>
      write('applyFreshness', partition, () => views.applyFreshness(partition, freshness)),
    position: (partition) =>
      read('position', () => {
        reached.set(partition, views.position(partition))
        return views.position(partition)
      }),
    order: (id) => read('order', () => views.order(id)),
    answer: (id) =>
      read('answer', () => {
        const stored = views.order(id)
        return stored && { ...stored, answer: answerOf(stored.order) }
      }),
    listable: true,
    keepListable: () => {},
    page: async () => {
      throw new Error('pages are not read here')
    },
    answerPage: async () => {
      throw new Error('pages are not read here')
    },
    counts: async () => {
      throw new Error('counts are not read here')
    },
    outcome: (requestId) => read('outcome', () => views.outcomes.get(requestId) ?? null),
    waitForOutcome: (requestId, signal) =>
      new Promise((resolve) => {
        const done = () => {
          if (signal.aborted || views.outcomes.has(requestId)) {
            views.waiting.delete(requestId)
            signal.removeEventListener('abort', done)
            resolve(views.outcomes.get(requestId) ?? null)
          }
        }
        const told = () => process.soon('hears of an outcome', done)
        views.waiting.set(requestId, told)
        signal.addEventListener('abort', done)
        told()
      }),
    freshness: () => read('freshness', () => new Map(views.freshness)),
    probe: () => read('probe', () => undefined),
    async *all() {
      for (const [, { order }] of [...views.orders].sort(([a], [b]) => (a < b ? -1 : 1)))
        yield order
    },
    close: async () => {},
  }
}
