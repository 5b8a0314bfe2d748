import { LRUCache } from 'lru-cache'
import type { Snapshots } from '../../ports/log/event-log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderId, OutpointText } from '../../schemas/scalars.ts'
import { LAST_ID } from './sweep-window.ts'
import { WatchedOutputs } from './watched-outputs.ts'

/** Orders kept in memory; the rest live as snapshots. */
const AWAKE_ORDERS = 250

/** The orders of one partition in their latest version, committed or from the current batch. */
export class PartitionOrders {
  readonly #snapshots: Snapshots
  readonly #awake = new LRUCache<string, OrderRecord>({ max: AWAKE_ORDERS })
  readonly #changed = new Map<OrderId, OrderRecord>()
  readonly #changedAt = new Map<string, Set<OrderId>>()
  readonly #watched: WatchedOutputs
  #above: { offset: number; ids: OrderId[] } = { offset: -1, ids: [] }

  constructor(snapshots: Snapshots) {
    this.#snapshots = snapshots
    this.#watched = new WatchedOutputs(snapshots)
  }

  /** Before the first question whether an output may be on offer. */
  async watch(pace: () => Promise<void>): Promise<void> {
    await this.#watched.fill(pace)
  }

  /** Between two batches. */
  async refresh(pace: () => Promise<void>): Promise<void> {
    await this.#watched.refresh(pace)
  }

  /** False: no open order offers this output. */
  mayBeAt(outpoint: string): boolean {
    return this.#watched.mayHave(outpoint)
  }

  /** Orders changed by the current batch. */
  get changed(): ReadonlyMap<OrderId, OrderRecord> {
    return this.#changed
  }

  put(order: OrderRecord): void {
    this.#awake.set(order.id, order)
    this.#changed.set(order.id, order)
    const ids = this.#changedAt.get(order.outpoint) ?? new Set()
    this.#changedAt.set(order.outpoint, ids.add(order.id))
    if (isOpen(order)) this.#watched.add(order.outpoint)
  }

  /** The snapshots now include the batch. */
  committed(): void {
    this.#changed.clear()
    this.#changedAt.clear()
  }

  get(id: OrderId): OrderRecord | undefined {
    const known = this.#changed.get(id) ?? this.#awake.get(id)
    if (known) return known
    const order = this.#snapshots.order(id)?.order
    if (order) this.#awake.set(id, order)
    return order
  }

  /** Open orders that offer this output, sorted by id. */
  at(outpoint: OutpointText): OrderRecord[] {
    const changed = this.#changedAt.get(outpoint) ?? []
    const ids = [...this.#snapshots.ordersAt(outpoint), ...changed]
    return this.#all(ids.sort()).filter(isOpen)
  }

  /**
   * Sorted ids after `after`: these, and all orders whose output or spend is in a block above this
   * height. A record that takes several commits calls this for each: the ids are read once.
   */
  above(height: number, also: Iterable<OrderId>, offset: number, after: string): OrderId[] {
    if (this.#above.offset !== offset) {
      const above = height === Infinity ? [] : this.#snapshots.above(height)
      const changed = height === Infinity ? [] : this.#changed.keys()
      this.#above = { offset, ids: [...new Set([...above, ...changed, ...also])].sort() }
    }
    return this.#above.ids.filter((id) => id > after)
  }

  /** As `get`, but only to read the order: it is not kept in memory. */
  peek(id: OrderId): OrderRecord | undefined {
    const known = this.#changed.get(id) ?? this.#awake.peek(id)
    return known ?? this.#snapshots.order(id)?.order
  }

  /** Ids of LIVE orders, sorted, after `after`, up to and including `upTo`: no order is read. */
  liveIds(after: string | null, limit: number, upTo: string = LAST_ID): OrderId[] {
    const stored = this.#snapshots.live(after, limit + this.#changed.size, upTo)
    const isWanted = ({ state, id }: OrderRecord) =>
      state === 'LIVE' && id > (after ?? '') && id <= upTo
    return this.#sorted(stored, isWanted, limit)
  }

  /** Orders neither LIVE nor closed, sorted by id, after `after`. */
  others(after: string | null, limit: number): OrderRecord[] {
    const stored = this.#snapshots.others(after, limit + this.#changed.size)
    const isWanted = (order: OrderRecord) =>
      order.state !== 'LIVE' && isOpen(order) && order.id > (after ?? '')
    return this.#all(this.#sorted(stored, isWanted, limit))
  }

  /** The orders found in the snapshots, merged with the current batch's changes. */
  #sorted(
    stored: readonly OrderId[],
    isWanted: (order: OrderRecord) => boolean,
    limit: number,
  ): OrderId[] {
    const unchanged = stored.filter((id) => !this.#changed.has(id))
    const changed = [...this.#changed.values()].filter(isWanted).map(({ id }) => id)
    return [...unchanged, ...changed].sort().slice(0, limit)
  }

  #all(ids: Iterable<OrderId>): OrderRecord[] {
    return [...new Set(ids)].flatMap((id) => this.get(id) ?? [])
  }
}

export const isAbove = ({ outputBlock, spend }: OrderRecord, height: number): boolean =>
  (outputBlock?.height ?? 0) > height || (spend?.block?.height ?? 0) > height

const isOpen = ({ closedAt }: OrderRecord): boolean => closedAt === null
