import type { Evidence } from '../../schemas/evidence.ts'
import type { Validation } from '../../schemas/order.ts'
import type { Verdict } from './verdict.ts'

/** A verdict as an order shows it, with the tip that it is based on (gateway spec 2.2). */
export function validationOf(verdict: Verdict, { node }: Evidence, at: string): Validation {
  const { state, reason, remarks, nodeStatus, assetStatus } = verdict
  return {
    checkedAt: at,
    nodeStatus,
    assetStatus,
    ...(node.status === 'ready' && {
      nodeTip: { height: node.tip.height, hash: node.tip.hash },
    }),
    reasons: state === 'LIVE' ? remarks : [reason],
  }
}
