import type { Facts } from '../../src/adapters/pool-facts.ts'
import type { PoolBounds } from '../../src/ports/views/unproved-pool.ts'
import type { CommandRecord } from '../../src/schemas/log.ts'
import { type UnprovedChange, UnprovedOrder } from '../../src/schemas/unproved.ts'
import type { Violated } from './monitor.ts'
import { SimPoolStore } from './pool-store.ts'
import { EPOCH_MS } from './process.ts'
import type { Scheduler } from './scheduler.ts'

/** Small, so that every limit is reached in each life. */
export const SMALL_POOL: PoolBounds = {
  retentionMs: 5 * 60_000,
  atOneOutput: 3,
  ofOneClient: 4,
  bytesOfOneClient: 14_000,
  inAll: 11,
  bytesInAll: 38_000,
  bytesOfOne: 6_000,
}

/** After this long in the pool, an order's history is known to whatever hands it to the log. */
const KNOWN_AFTER_MS = 60_000
/** An import is in the pool at most this long after it arrived. */
const STORED_WITHIN_MS = 120_000

interface Kept {
  /** What it could have reported at each moment since it arrived. */
  told: { at: number; changes: UnprovedChange[] }[]
  /** As it was written last. */
  entry: UnprovedOrder
  bytes: unknown
}

/** The pool of unproved orders, and what must be true of it after every write. */
export class PoolWatch {
  readonly store: SimPoolStore
  /** Entries that made room or were too old, and those that went into the log. */
  left = 0
  readonly #scheduler: Scheduler
  readonly #violated: Violated
  readonly #kept = new Map<string, Kept>()
  /** The latest import of each order that was ever there. */
  readonly #importedAt = new Map<string, number>()
  readonly #broughtAt = new Map<string, number>()
  /** How far the gateway's clock was ahead of the true time, from when on; the newest last. */
  readonly #skews = [{ at: 0, ms: 0 }]

  constructor(scheduler: Scheduler, violated: Violated) {
    this.#scheduler = scheduler
    this.#violated = violated
    this.store = new SimPoolStore(() => this.#written())
  }

  /** The gateway's clock is this far ahead from now on, milliseconds. */
  clockStepped(ms: number): void {
    this.#skews.push({ at: this.#scheduler.now, ms })
  }

  /** It is imported now. */
  brought(orderId: string): void {
    this.#broughtAt.set(orderId, this.#scheduler.now)
  }

  /** The log gets one that it does not have: with everything that happened to it. */
  handedOver(command: CommandRecord): void {
    if (command.command !== 'import') return
    const since = this.#scheduler.now - KNOWN_AFTER_MS
    const kept = this.#kept.get(command.orderId)
    const known = kept?.told.findLast(({ at }) => at <= since)
    const told = command.story?.changes ?? []
    if (!kept || !known || isPrefix(known.changes, told)) return
    // One that is too old counts as forgotten when requested, and is removed some time later.
    if (this.#wasOld(kept.entry)) return
    this.#violated('pool', `${command.orderId} goes to the log without its story`)
  }

  /** Was it too old by the gateway's clock, a short time ago or now? */
  #wasOld({ importedAt }: UnprovedOrder): boolean {
    const { now } = this.#scheduler
    const inForce = this.#skews.findLastIndex(({ at }) => at <= now - STORED_WITHIN_MS)
    const ahead = Math.max(...this.#skews.slice(Math.max(0, inForce)).map(({ ms }) => ms))
    return EPOCH_MS + now + ahead - importedAt >= SMALL_POOL.retentionMs
  }

  /** Was the one before too old, and is it imported anew? */
  #isAnother(before: UnprovedOrder, { order }: UnprovedOrder): boolean {
    return before.order.createdAt !== order.createdAt && this.#wasOld(before)
  }

  #written(): void {
    const facts = [...this.store.table('unproved facts').entries()] as [string, Facts][]
    this.#follow(facts)
    const { atOneOutput, ofOneClient, bytesOfOneClient, inAll, bytesInAll, bytesOfOne } = SMALL_POOL
    const isWithin = (what: string, found: number, most: number) => {
      if (found > most) this.#violated('pool', `${what} has ${found} in the pool, at most ${most}`)
    }
    const all = facts.map(([, one]) => one)
    const bytes = (some: readonly Facts[]) => some.reduce((sum, one) => sum + one.bytes, 0)
    for (const [outpoint, some] of groups(all, 'outpoint'))
      isWithin(`output ${outpoint}`, some.length, atOneOutput)
    for (const [client, some] of groups(all, 'client')) {
      isWithin(`client ${client}`, some.length, ofOneClient)
      isWithin(`client ${client} by bytes`, bytes(some), bytesOfOneClient)
    }
    isWithin('everybody', all.length, inAll)
    isWithin('everybody by bytes', bytes(all), bytesInAll)
    for (const [id, one] of facts) isWithin(`order ${id} by bytes`, one.bytes, bytesOfOne)
  }

  /** Added, changed and removed entries. */
  #follow(facts: readonly [string, Facts][]): void {
    const { now } = this.#scheduler
    const ids = new Set(facts.map(([id]) => id))
    for (const id of this.#kept.keys()) {
      if (ids.has(id)) continue
      this.#kept.delete(id)
      this.left += 1
    }
    for (const [id, { importedAt }] of facts) {
      const bytes = this.store.table('unproved').get(id)
      const before = this.#kept.get(id)
      if (bytes === before?.bytes) continue
      const entry = UnprovedOrder.parse(JSON.parse(String(bytes)))
      const wasBrought = (this.#broughtAt.get(id) ?? -Infinity) >= now - STORED_WITHIN_MS
      if (before && !isContinued(before.entry, entry) && !this.#isAnother(before.entry, entry))
        this.#violated('pool', `${id} loses what another wrote meanwhile`)
      const isNew = importedAt > (this.#importedAt.get(id) ?? -Infinity)
      if (isNew && !wasBrought)
        this.#violated('pool', `${id} counts as imported, but was not imported`)
      if (isNew) this.#importedAt.set(id, importedAt)
      const told = [...(before?.told ?? []), { at: now, changes: entry.changes }]
      this.#kept.set(id, { told, entry, bytes })
    }
  }
}

function groups(all: readonly Facts[], by: 'outpoint' | 'client'): Map<string, Facts[]> {
  const grouped = new Map<string, Facts[]>()
  for (const one of all) grouped.set(one[by], [...(grouped.get(one[by]) ?? []), one])
  return grouped
}

/** Has the entry all that the one before had? */
function isContinued(before: UnprovedOrder, { changes, order }: UnprovedOrder): boolean {
  const sources = new Set(sourcesOf(order))
  return (
    isPrefix(before.changes, changes) &&
    sourcesOf(before.order).every((source) => sources.has(source))
  )
}

const sourcesOf = ({ sources }: UnprovedOrder['order']): string[] =>
  sources.map(({ source, sourceId }) => `${source} ${sourceId}`)

/** Does the history begin with these changes? */
export const isPrefix = (
  changes: readonly Pick<UnprovedChange, 'toState' | 'reason'>[],
  story: readonly Pick<UnprovedChange, 'toState' | 'reason'>[],
): boolean =>
  changes.every(({ toState, reason }, at) => {
    const told = story[at]
    return told?.toState === toState && told.reason === reason
  })
