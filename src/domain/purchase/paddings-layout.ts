import type { TxOut } from '../../schemas/scalars.ts'
import type { FeeRate } from '../chain/fee-rate.ts'
import { dustThreshold } from '../script/relay.ts'
import {
  type InsufficientFunds,
  type PurchaseInput,
  type SpendLayout,
  withChange,
} from './purchase-layout.ts'

export interface PaddingsTerms {
  count: number
  /** Value of each. */
  sats: bigint
  /** In the order in which they are spent. */
  funding: readonly PurchaseInput[]
  /** Where paddings and change go: the buyer's own. */
  paymentScriptHex: string
  feeRate: FeeRate
}

export type PaddingsRefusal =
  | InsufficientFunds
  | { outcome: 'dust'; sats: bigint; leastSats: bigint }

/**
 * Lays out the small outputs that a purchase names as paddings: outputs [padding…, change], paid by
 * as few of the funding outputs as are enough.
 */
export function layOutPaddings(terms: PaddingsTerms): SpendLayout | PaddingsRefusal {
  const { count, sats, funding, paymentScriptHex, feeRate } = terms
  const leastSats = dustThreshold(paymentScriptHex)
  if (sats < leastSats) return { outcome: 'dust', sats, leastSats }
  const padding: TxOut = { valueSats: sats.toString(), scriptHex: paymentScriptHex }
  const outputs = Array.from({ length: count }, () => padding)
  const paidBy = (many: number) =>
    withChange({
      inputs: funding.slice(0, many),
      outputs,
      changeScriptHex: paymentScriptHex,
      feeRate,
    })
  for (let many = 1; many < funding.length; many += 1) {
    const layout = paidBy(many)
    if (layout.outcome === 'laid-out') return layout
  }
  return paidBy(funding.length)
}
