import type { NodeChange } from '../../ports/authorities/full-node.ts'
import type { IndexProbe } from '../ask-authority.ts'
import type { Push } from './follow-mempool.ts'

/** What triggers the follower. */
export type Signal =
  | { from: 'node'; change: NodeChange }
  | { from: 'index'; answer: IndexProbe }
  /** Time for a watermark. */
  | { from: 'clock' }

/** All signals that came while the follower was busy. */
export interface IngestSignals {
  pushes: Push[]
  /** Characters of transaction hex among the pushes. */
  weight: number
  /** The tip or the mempool may have changed in a way that no push reports. */
  ask: boolean
  /** Only polls tell of the mempool; null: nothing new is known of that. */
  isPolled: boolean | null
  /** Pushes were lost: the known mempool is no longer accurate. */
  gaps: string[]
  beat: boolean
  index: IndexProbe | null
}

export interface GatherLimits {
  /** Pushes that may wait. */
  maxPushes: number
  /** Characters of transaction hex that may wait. */
  maxPushedHex: number
}

/** This many pushes do not wait for more to gather. */
const MANY_PUSHES = 200

/** Whether anything beyond a few pushes is waiting. */
export const hurries = ({ pushes, ask, gaps, beat, index }: IngestSignals): boolean =>
  ask || beat || index !== null || gaps.length > 0 || pushes.length >= MANY_PUSHES

/**
 * Folds a signal into those waiting. A burst beyond the limits becomes a gap: the snapshot that
 * closes it reports the same transactions, in steps of bounded size. Grows `waiting` in place,
 * since a copy for each push of a burst would cost quadratic time.
 */
export const gather =
  (limits: GatherLimits) =>
  (waiting: IngestSignals | null, signal: Signal): IngestSignals => {
    const gathered = waiting ?? nothing()
    if (signal.from === 'clock') gathered.beat = true
    else if (signal.from === 'index') gathered.index = signal.answer
    else gatherChange(gathered, signal.change, limits)
    return gathered
  }

function gatherChange(gathered: IngestSignals, change: NodeChange, limits: GatherLimits): void {
  if (change.kind === 'gap') lose(gathered, change.detail)
  else if (change.kind === 'added' || change.kind === 'removed') queue(gathered, change, limits)
  else {
    gathered.ask = true
    gathered.isPolled = change.kind === 'poll' && change.isAlone
  }
}

function queue(gathered: IngestSignals, push: Push, limits: GatherLimits): void {
  gathered.pushes.push(push)
  gathered.isPolled = false
  if (push.kind === 'added') gathered.weight += push.hex?.length ?? 0
  if (gathered.pushes.length > limits.maxPushes || gathered.weight > limits.maxPushedHex)
    lose(gathered, `more than ${gathered.pushes.length - 1} pushes were waiting`)
}

function lose(gathered: IngestSignals, detail: string): void {
  gathered.pushes = []
  gathered.weight = 0
  gathered.gaps.push(detail)
}

const nothing = (): IngestSignals => ({
  pushes: [],
  weight: 0,
  ask: false,
  isPolled: null,
  gaps: [],
  beat: false,
  index: null,
})
