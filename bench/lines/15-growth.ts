import type { Line } from '../harness/line.ts'
import type { Comparison } from '../harness/results.ts'
import { growthOfImports } from './growth/imports.ts'
import { growthOfInbox } from './growth/inbox.ts'
import { growthOfOrderReads } from './growth/order-reads.ts'
import { growthOfVerifiedReads } from './growth/verified-reads.ts'

const FEW = 10_000
const QUICK_FEW = 500
/** Imports of a million orders, one by one, would take longer than all the rest. */
const STEPS = {
  tenfold: {
    times: 10,
    parts: [growthOfOrderReads, growthOfInbox, growthOfImports, growthOfVerifiedReads],
  },
  hundredfold: {
    times: 100,
    parts: [growthOfOrderReads, growthOfInbox, growthOfVerifiedReads],
  },
}

export const line: Line = {
  number: 15,
  name: 'growth',
  work: 'lines 1, 2, 3, 6 and 9 with more orders',
  peer: 'the same with fewer',
  run: async (context) => {
    const few = context.isQuick ? QUICK_FEW : FEW
    const steps = context.isFull ? [STEPS.tenfold, STEPS.hundredfold] : [STEPS.tenfold]
    const comparisons: Comparison[] = []
    for (const { times, parts } of steps) {
      for (const part of parts)
        comparisons.push(...(await part({ many: few * times, few }, context)))
    }
    return comparisons
  },
}
