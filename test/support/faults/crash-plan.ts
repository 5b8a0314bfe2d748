import type { CrashPoint } from '../../../src/ports/log/crash-points.ts'
import type { OrderState } from '../../../src/schemas/scalars.ts'
import { dice } from '../orders/order-book.ts'

/** The fate of an order of the plan. */
export type Fate =
  | 'kept'
  | 'imported twice'
  | 'revalidated'
  | 'bought'
  | 'bought and dropped'
  | 'spent elsewhere'
  | 'withdrawn'
  | 'lied about'

/** Where each ends, however often the service was killed on the way. */
export const END: Record<Fate, OrderState> = {
  kept: 'LIVE',
  'imported twice': 'LIVE',
  revalidated: 'LIVE',
  bought: 'SETTLED',
  'bought and dropped': 'LIVE',
  'spent elsewhere': 'SPENT',
  withdrawn: 'WITHDRAWN',
  'lied about': 'REJECTED',
}

export interface Round {
  number: number
  fates: readonly Fate[]
  /** A block of the round is replaced at its end. */
  isReorged: boolean
}

const ORDERS_A_ROUND = 3
const FATES = Object.keys(END) as Fate[]

/** A round of the plan of a seed: always the same. */
export function roundOf(seed: number, number: number): Round {
  const roll = dice(seed * 1_000 + number)
  return {
    number,
    fates: Array.from({ length: ORDERS_A_ROUND }, () => roll.of(FATES)),
    isReorged: roll.chance(0.3),
  }
}

/** What a process of a crash test is given. */
export interface Errand {
  dataDir: string
  seed: number
  /** The round to continue, and what was done of it already, by name. */
  round: number
  facts: Record<string, string>
  /** The orders of the rounds before, by `round/number`. */
  orders: Record<string, string>
  /** Where it kills itself: on the n-th pass of a point; null: it does not. */
  kill: { point: CrashPoint; passing: number } | null
  /** The last round: then it waits until the service is idle, and exits. */
  lastRound: number
}

/** Its reports, a JSON line each, flushed before anything else happens. */
export type Said =
  /** The service answers; milliseconds since the process began. */
  | { said: 'ready'; ms: number }
  /** All that stood in the log at the start has had its effects. */
  | { said: 'recovered'; ms: number }
  /** A part of a round that must not be done again. */
  | { said: 'fact'; round: number; name: string; value: string }
  | { said: 'order'; label: string; id: string }
  /** An answer of the API, with the version of the order that a reader sees then. */
  | { said: 'answered'; order: string; seq: number; hash: string }
  /** The outcome of a command that was appended to the inbox. */
  | { said: 'outcome'; request: string; order: string; seq: number }
  | { said: 'round'; round: number }
  /** At rest: the state of each order of the plan, by `round/number`, and how many there are at all. */
  | { said: 'end'; states: Record<string, OrderState | null>; orders: number }
