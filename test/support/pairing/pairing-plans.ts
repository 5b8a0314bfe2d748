import fc from 'fast-check'
import { INVALID_REASONS, type InvalidReason } from '../../../src/schemas/api/pairing.ts'
import { NEAR_MARKER_NAMES, type NearMarker, PUSH_FORMS, type PushForm } from './pairing-scripts.ts'

/**
 * What a generated chain is made of. A plan names no outpoint: what it asks for is looked up among
 * the coins at that point, so any plan can be played on any chain, and a smaller plan is still a
 * plan.
 */
export interface ChainPlan {
  startHeight: number
  /** Blocks below it that the chain begins with; the first one's height is their difference. */
  below: number
  /** Whether consecutive blocks are connected together. */
  inBatches: boolean
  /** After this many moves the index is reopened on what it stored; 0: never. */
  reopenEvery: number
  steps: readonly Step[]
}

export type Step =
  | { kind: 'mine'; transactions: readonly TransactionPlan[]; coinbaseMarker: boolean }
  /** Takes back as many blocks, and no more than there are. */
  | { kind: 'cut'; depth: number }
  /** Puts back the very blocks that the last cut took, where they still fit. */
  | { kind: 'restore' }

export const ACTIONS = ['create', 'move', 'pair', 'unpair', 'spend', 'replay'] as const
/** What cannot be done with the coins at that point becomes the previous possible action. */
export type Action = (typeof ACTIONS)[number]

/** Where the mate of an object that is moved, or whose pair is dissolved, is put. */
export const MATES = ['stays', 'named', 'released before', 'released after'] as const
export type Mate = (typeof MATES)[number]

export interface TransactionPlan {
  action: Action
  /** Each a reason for the marker to be invalid, where the action can have it. */
  faults: readonly InvalidReason[]
  /** Outputs that are not markers; with `instead` the first one takes the place of the marker. */
  near: readonly NearMarker[]
  instead: boolean
  form: PushForm
  mate: Mate
  /** Carriers named by MOVE. */
  count: number
  /** Carriers spent besides those that are named. */
  released: number
  hasWitness: boolean
  /** All other choices, in order of use; reused from the start. */
  picks: readonly number[]
}

const WHOLE_CHAIN = 1_000
/** Two reasons of which the first is tested just before the second. */
const NEIGHBOURS = INVALID_REASONS.slice(1).map((reason, at) => [INVALID_REASONS[at]!, reason])

const transactionPlan: fc.Arbitrary<TransactionPlan> = fc.record({
  action: fc.oneof(
    { weight: 2, arbitrary: fc.constant<Action>('create') },
    { weight: 4, arbitrary: fc.constant<Action>('move') },
    { weight: 5, arbitrary: fc.constant<Action>('pair') },
    { weight: 4, arbitrary: fc.constant<Action>('unpair') },
    { weight: 1, arbitrary: fc.constant<Action>('spend') },
    { weight: 3, arbitrary: fc.constant<Action>('replay') },
  ),
  faults: fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...INVALID_REASONS)) },
    { weight: 1, arbitrary: fc.subarray([...INVALID_REASONS], { minLength: 2, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(...NEIGHBOURS) },
  ),
  near: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...NEAR_MARKER_NAMES)) },
  ),
  instead: fc.boolean(),
  form: fc.constantFrom(...PUSH_FORMS),
  mate: fc.constantFrom(...MATES),
  count: fc.oneof(
    { weight: 4, arbitrary: fc.constant(1) },
    { weight: 4, arbitrary: fc.integer({ min: 2, max: 3 }) },
    { weight: 1, arbitrary: fc.integer({ min: 4, max: 16 }) },
  ),
  released: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 }) },
  ),
  hasWitness: fc.boolean(),
  picks: fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }),
})

const mine = fc.record({
  kind: fc.constant('mine' as const),
  transactions: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 7, arbitrary: fc.array(transactionPlan, { minLength: 1, maxLength: 5 }) },
  ),
  coinbaseMarker: fc.boolean(),
})

const cut = fc.record({
  kind: fc.constant('cut' as const),
  depth: fc.oneof(
    { weight: 4, arbitrary: fc.constant(1) },
    { weight: 4, arbitrary: fc.integer({ min: 2, max: 6 }) },
    { weight: 1, arbitrary: fc.constant(WHOLE_CHAIN) },
  ),
})

export const chainPlans: fc.Arbitrary<ChainPlan> = fc.record({
  startHeight: fc.constantFrom(0, 1, 3, 255, 840_000),
  below: fc.integer({ min: 0, max: 3 }),
  inBatches: fc.boolean(),
  reopenEvery: fc.constantFrom(0, 0, 1, 3),
  steps: fc
    .tuple(
      fc.array(mine, { minLength: 3, maxLength: 4 }),
      fc.array(
        fc.oneof(
          { weight: 9, arbitrary: mine },
          { weight: 2, arbitrary: cut },
          { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const) }) },
        ),
        { minLength: 0, maxLength: 10 },
      ),
    )
    .map(([first, rest]): Step[] => [...first, ...rest]),
})
