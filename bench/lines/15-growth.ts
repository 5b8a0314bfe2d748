import type { Line } from '../harness/line.ts'
import type { Comparison } from '../harness/results.ts'
import { growthOfImports } from './growth/imports.ts'
import { growthOfInbox } from './growth/inbox.ts'
import { growthOfOrderReads } from './growth/order-reads.ts'
import { growthOfVerifiedReads } from './growth/verified-reads.ts'

const FEW = 10_000
const QUICK_FEW = 500
const TENFOLD = 10
const HUNDREDFOLD = 100
const PARTS = [growthOfOrderReads, growthOfInbox, growthOfVerifiedReads]

export const line: Line = {
  number: 15,
  name: 'growth',
  work: 'lines 1, 2, 3, 6 and 9 with more orders',
  peer: 'the same with fewer',
  run: async (context) => {
    const few = context.isQuick ? QUICK_FEW : FEW
    const comparisons: Comparison[] = []
    for (const part of PARTS)
      comparisons.push(...(await part({ many: few * TENFOLD, few }, context)))
    // To import 100,000 orders takes as long as all the rest, and a million ten times as long.
    if (context.isFull || context.isQuick)
      comparisons.push(...(await growthOfImports({ many: few * TENFOLD, few }, context)))
    if (context.isFull) {
      for (const part of PARTS)
        comparisons.push(...(await part({ many: few * HUNDREDFOLD, few }, context)))
    }
    return comparisons
  },
}
