import type { LineContext } from '../../harness/line.ts'
import type { Comparison } from '../../harness/results.ts'

/** Numbers of orders, or of what else the work reads. */
export interface Sizes {
  many: number
  few: number
}

/** The work of another line at both sizes. */
export type Growth = (sizes: Sizes, context: LineContext) => Promise<Comparison[]>

const ROUNDS = 3

/** Requests or records a second: the smaller size may do half as many again. */
export const ofRates = { ratio: 'peer/ours', target: { atMost: 1.5 }, rounds: ROUNDS } as const

/** Times. */
export const ofTimes = { ratio: 'ours/peer', target: { atMost: 1.5 }, rounds: ROUNDS } as const

export const sizesText = ({ many, few }: Sizes, what: string): string =>
  `${many} ${what}; peer ${few}`
