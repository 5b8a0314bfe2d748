import { HANDOFF_IDS } from '../../../domain/catalog/catalog.ts'
import {
  freshFrom,
  isRenewed,
  isRenewedWhole,
  vouchesAt,
} from '../../../domain/listing/actionable.ts'
import { BLOCKED, type FreshnessTerms } from '../../../domain/order/order-summary.ts'
import type { PartitionFreshness } from '../../../ports/views/order-views.ts'
import type { Actionability } from '../../../schemas/scalars.ts'
import type { IndexReads } from './index-reads.ts'
import { HELD_BITS, HIDDEN, heldBits, UNNAMED } from './order-entries.ts'
import { marketBits } from './query-filters.ts'
import { SlotSet } from './slot-set.ts'
import { heldRange, verifiedRange } from './sort-members.ts'

export interface ActionableTerms {
  moment: FreshnessTerms
  freshness: ReadonlyMap<number, PartitionFreshness>
  /** How many partitions there are. */
  partitions: number
}

/** What can be done with orders at a moment, as their summaries say (gateway spec 3.4). */
export class ActionableReader {
  readonly #reads: IndexReads
  readonly #terms: ActionableTerms

  constructor(reads: IndexReads, terms: ActionableTerms) {
    this.#reads = reads
    this.#terms = terms
  }

  /** Splits the orders of a set by what can be done with them: each is in one of the three. */
  async split(among: SlotSet): Promise<Record<Actionability, SlotSet>> {
    const { slots } = among
    const blocked = new SlotSet(slots)
    const [ready, asks, capable] = [among.copy(), new SlotSet(slots), new SlotSet(slots)]
    const narrow = (set: SlotSet) => ready.keep(set, true)
    const of: [name: string, use: (set: SlotSet) => void][] = [
      ...[HIDDEN, ...[...BLOCKED].map((state) => `state:${state}`)].map(
        (name): [string, (set: SlotSet) => void] => [name, (set) => blocked.addAll(set)],
      ),
      ['state:LIVE', narrow],
      ['safety:PUBLIC_RACEABLE', narrow],
      ['class:ASK_ANYONECANPAY', (set) => asks.addAll(set)],
      ...[UNNAMED, ...HANDOFF_IDS.map(marketBits)].map((name): [string, (set: SlotSet) => void] => [
        name,
        (set) => capable.addAll(set),
      ]),
    ]
    const uses = new Map(of)
    for await (const [name, set] of this.#reads.bitmaps([...uses.keys()])) uses.get(name)?.(set)
    blocked.keep(among, true)
    ready.keep(capable, true)
    ready.keep(blocked, false)
    await this.#keepFresh(ready, asks)
    const review = among.copy()
    review.keep(blocked, false)
    review.keep(ready, false)
    return { BLOCKED: blocked, HANDOFF_READY: ready, REVIEW_ONLY: review }
  }

  /**
   * Keeps the LIVE orders that are fresh, most of them by their partition. Entries are read only
   * for orders that it does not vouch for, and for those verified within the allowed age.
   */
  async #keepFresh(live: SlotSet, asks: SlotSet): Promise<void> {
    const fresh = new SlotSet(live.slots)
    for (const kind of ['asks', 'others'] as const) {
      const ofKind = live.copy()
      ofKind.keep(asks, kind === 'asks')
      if (ofKind.isEmpty()) continue
      await this.#keepVouched(ofKind, kind)
      fresh.addAll(ofKind)
    }
    const doubtful = live.copy()
    doubtful.keep(fresh, false)
    if (!doubtful.isEmpty()) {
      const range = verifiedRange(Math.max(0, freshFrom(this.#terms.moment)))
      for await (const { slot } of this.#reads.members(range)) fresh.add(slot)
    }
    live.keep(fresh, true)
  }

  /** Keeps the orders that the last watermark of their partition vouches for. */
  async #keepVouched(orders: SlotSet, kind: 'asks' | 'others'): Promise<void> {
    const { moment, freshness, partitions } = this.#terms
    const all = Array.from({ length: partitions }, (_, partition) => partition)
    const vouches = (partition: number) => vouchesAt(freshness.get(partition) ?? null, moment)
    const [vouching, others] = [all.filter(vouches), all.filter((one) => !vouches(one))]
    if (vouching.length === 0) return orders.clear()
    // Uses whichever bitmaps are fewer.
    const byOthers = others.length < vouching.length
    const held = new SlotSet(orders.slots)
    const names = (byOthers ? others : vouching).map(heldBits)
    if (byOthers) {
      for await (const [, set] of this.#reads.bitmaps([HELD_BITS])) held.addAll(set)
    }
    for await (const [, set] of this.#reads.bitmaps(names)) {
      if (byOthers) held.keep(set, false)
      else held.addAll(set)
    }
    orders.keep(held, true)
    for (const partition of vouching) await this.#dropLost(orders, kind, partition)
  }

  /** Removes the orders of a partition that have lost continuity and not regained it. */
  async #dropLost(orders: SlotSet, kind: 'asks' | 'others', partition: number): Promise<void> {
    const progress = this.#terms.freshness.get(partition)
    if (!progress || (kind === 'asks' && isRenewedWhole(progress))) return
    const lost = this.#reads.members(heldRange(partition, progress.continuousSince))
    for await (const { id, slot } of lost)
      if (kind === 'others' || !isRenewed(progress, id)) orders.remove(slot)
  }
}
