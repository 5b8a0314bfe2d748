import type { CallKind } from './process.ts'
import type { Scheduler } from './scheduler.ts'

/** Faults of a call of a process, drawn at each of them. */
const OF_CALLS = {
  delay: 60,
  'failed call': 16,
  'outcome unknown': 8,
  'crash before a call': 1.5,
  'crash after a write': 1.5,
} as const

/** Faults of the world, drawn with each event. */
export const OF_THE_WORLD = {
  reorg: 14,
  'deep reorg': 2,
  'flip to another branch and back': 2,
  'node restarted': 3,
  'node away': 5,
  'node back in block download': 3,
  'pushes lost': 8,
  'block bodies pruned': 2,
  'index away': 6,
  'index malformed': 2,
  'index stands still': 6,
  'index rolled back': 4,
  'index rebuilt': 2,
  'index upgraded': 3,
  'partition moved': 8,
  'worker not told that it lost its partitions': 5,
  'second ingest takes over': 6,
  'watermark of a former ingest lands late': 2,
  'process killed': 6,
  'process stopped': 3,
  'clock stepped': 4,
  'history away': 4,
  'history lost its tail': 2,
  'views flushed': 2,
  'pool evicted': 3,
  // Rare: its partition is not replayed at the end.
  'inbox past its retention': 0.5,
  'poison record': 4,
} as const

/** Faults of webhooks, drawn beside those of the world in the seeds that have senders of them. */
export const OF_WEBHOOKS = {
  'sender killed': 6,
  'sender stopped': 3,
  'sender clock stepped': 3,
  'partition of a sender moved': 5,
  'sender not told that it lost its partitions': 4,
  'endpoint away': 5,
  'endpoint hangs': 4,
  'endpoint answers 500': 4,
  'endpoint answers slowly': 3,
  'endpoint asks for time': 3,
  'endpoint redirects': 2,
  'endpoint is gone': 2,
  'endpoint fails for a day': 4,
  'operator retries': 5,
  'operator pauses': 2,
} as const

export type WorldFault = keyof typeof OF_THE_WORLD
export type WebhookFault = keyof typeof OF_WEBHOOKS
export type FaultKind = keyof typeof OF_CALLS | WorldFault | WebhookFault

const ANSWERS: Record<CallKind, ReadonlySet<FaultKind>> = {
  write: new Set<FaultKind>(Object.keys(OF_CALLS) as FaultKind[]),
  ask: new Set<FaultKind>(['delay', 'failed call', 'crash before a call']),
  read: new Set<FaultKind>(['delay', 'failed call', 'crash before a call']),
}

/** Draws faults at the seed's own rate, and counts those that happened. */
export class Faults {
  /** 1 to 20 in 100. */
  readonly rate: number
  readonly counts = new Map<FaultKind, number>()
  isOn = true
  readonly #scheduler: Scheduler

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
    this.rate = (1 + scheduler.dice.below(20)) / 100
  }

  ofCall(kind: CallKind): FaultKind | null {
    const { dice } = this.#scheduler
    if (!this.isOn || !dice.chance(this.rate)) return null
    const fault = drawn(dice.below(1_000_000) / 1_000_000, OF_CALLS)
    return ANSWERS[kind].has(fault) ? this.happened(fault) : null
  }

  ofTheWorld(): WorldFault | null {
    return this.#ofEvents(OF_THE_WORLD)
  }

  ofWebhooks(): WebhookFault | null {
    return this.#ofEvents(OF_WEBHOOKS)
  }

  #ofEvents<K extends FaultKind>(weights: Readonly<Record<K, number>>): K | null {
    const { dice } = this.#scheduler
    // Events are rarer than calls: their rate keeps reorgs and the like frequent enough.
    if (!this.isOn || !dice.chance(Math.min(1, 2 * this.rate))) return null
    return drawn(dice.below(1_000_000) / 1_000_000, weights)
  }

  happened<K extends FaultKind>(fault: K): K {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1)
    this.#scheduler.trace(`fault: ${fault}`)
    return fault
  }
}

function drawn<K extends string>(share: number, weights: Readonly<Record<K, number>>): K {
  const entries = Object.entries(weights) as [K, number][]
  let left = share * entries.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [kind, weight] of entries) {
    left -= weight
    if (left < 0) return kind
  }
  return entries[0]![0]
}
