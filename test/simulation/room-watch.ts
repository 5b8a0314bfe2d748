import { isProved } from '../../src/domain/order/proved.ts'
import type { RoomBounds } from '../../src/domain/order/room.ts'
import type { ChangeRecord, SnapshotRecord } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import type { OrderState } from '../../src/schemas/scalars.ts'
import type { Violated } from './monitor.ts'

/** Small, so that every limit is reached in each life. */
export const SMALL_ROOM: RoomBounds = { unproved: 3, provedAsks: 3, provedBids: 2 }

type Side = keyof RoomBounds

/**
 * The open orders of each output, and what must be true of them: no order is refused for lack of
 * room.
 */
export class RoomWatch {
  /** Orders that gave way: the fate of their output is no longer followed. */
  readonly gaveWay = new Set<string>()
  readonly #violated: Violated
  readonly #orders = new Map<string, Partial<OrderRecord>>()
  readonly #open = new Map<string, Set<string>>()

  constructor(violated: Violated) {
    this.#violated = violated
  }

  changed(change: ChangeRecord, importedId: string | null): void {
    const { orderId, outpoint, set, unset } = change
    const before = this.#orders.get(orderId)
    const order: Record<string, unknown> = { ...before, ...set }
    for (const field of unset) delete order[field]
    this.#orders.set(orderId, order)
    const open = this.#open.get(outpoint) ?? new Set()
    this.#open.set(outpoint, open)
    if (order['closedAt'] === null) open.add(orderId)
    else open.delete(orderId)
    if (change.reason === 'made_room' && before?.closedAt === null) {
      this.gaveWay.add(orderId)
      this.#isNeeded(outpoint, sideOf(before as OrderRecord), orderId, importedId)
      if (!ENDS.has(change.toState))
        this.#violated('room', `${orderId} gave way and is ${change.toState} for ever`)
    }
  }

  /** Room is made for another order, and for as many as there are too many. */
  #isNeeded(outpoint: string, side: Side, orderId: string, importedId: string | null): void {
    const left = this.#count(outpoint, side)
    if (left < SMALL_ROOM[side])
      this.#violated('room', `${orderId} gave way with ${left} others (${side}) at ${outpoint}`)
    if (orderId === importedId) this.#violated('room', `${orderId} came and was closed for room`)
  }

  #count(outpoint: string, side: Side): number {
    return [...(this.#open.get(outpoint) ?? [])].filter(
      (id) => sideOf(this.#orders.get(id) as OrderRecord) === side,
    ).length
  }

  /** After every commit. */
  committed(snapshots: readonly SnapshotRecord[]): void {
    const touched = snapshots.flatMap((one) => (one.kind === 'order' ? one.order.outpoint : []))
    for (const outpoint of new Set(touched)) {
      if ((this.#open.get(outpoint)?.size ?? 0) <= SMALL_ROOM.provedBids) continue
      for (const side of SIDES) {
        const found = this.#count(outpoint, side)
        if (found > SMALL_ROOM[side])
          this.#violated('room', `${outpoint} has ${found} open orders (${side})`)
      }
    }
  }
}

/** The possible final states of what is no longer followed. */
const ENDS: ReadonlySet<OrderState> = new Set(['WITHDRAWN', 'REJECTED', 'SPENT', 'SETTLED'])

const SIDES: readonly Side[] = ['unproved', 'provedAsks', 'provedBids']

const sideOf = (order: OrderRecord): Side => {
  if (!isProved(order)) return 'unproved'
  return order.kept.offer.side === 'ASK' ? 'provedAsks' : 'provedBids'
}
