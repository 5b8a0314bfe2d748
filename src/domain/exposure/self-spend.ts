import type { OrderRecord } from '../../schemas/order-record.ts'
import { marketRules } from '../catalog/market-rules.ts'
import { type FeeRate, feeAt } from '../chain/fee-rate.ts'
import { isProved } from '../order/proved.ts'
import {
  conserving,
  type InsufficientFunds,
  type PurchaseInput,
  type SpendLayout,
  withChange,
} from '../purchase/purchase-layout.ts'
import { transactionVbytes } from '../script/input-weight.ts'
import { dustThreshold } from '../script/relay.ts'

export interface SelfSpendTerms {
  exposed: PurchaseInput
  /** They pay the fee; none: it is taken from the end of the output. */
  funding: readonly PurchaseInput[]
  destinationScriptHex: string
  changeScriptHex: string
  /** The highest offset of an inscription in the output; null: there is none, or it is not known. */
  lastOffset: bigint | null
  /** Any sat of the output may be what its owner sells. */
  isSoldBySats: boolean
  feeRate: FeeRate
}

export type SelfSpendLayout = SpendLayout

export type SelfSpendRefusal =
  | { outcome: 'dust'; sats: bigint; leastSats: bigint }
  | { outcome: 'dust-after-fee'; leftSats: bigint; leastSats: bigint }
  | { outcome: 'fee-too-high'; feeSats: bigint; mostSats: bigint }
  | { outcome: 'asset-in-fee'; offset: bigint; leftSats: bigint }
  | { outcome: 'sats-in-fee' }
  | InsufficientFunds

/** Does an ask of an output without inscriptions sell its sats? No index tells them apart (ADR 24). */
export function sellsSats(ask: OrderRecord): boolean {
  const { assetRequirement, sellsRunes } = marketRules(ask.protocolId)
  return isProved(ask) && assetRequirement !== 'INSCRIPTION' && !sellsRunes
}

/**
 * Lays out the spend of an output to its owner: the output is the first input and the destination
 * the first output, so that every sat keeps its offset and runes go with them. The fee is paid by
 * other outputs, or else by the last sats, where no inscription may be, never by more than half, and
 * not where the sats themselves are sold.
 */
export function layOutSelfSpend(terms: SelfSpendTerms): SelfSpendLayout | SelfSpendRefusal {
  const { exposed, destinationScriptHex } = terms
  const sats = BigInt(exposed.output.valueSats)
  const leastSats = dustThreshold(destinationScriptHex)
  if (sats < leastSats) return { outcome: 'dust', sats, leastSats }
  return terms.funding.length > 0 ? withFunding(terms) : fromItself(terms)
}

function fromItself(terms: SelfSpendTerms): SelfSpendLayout | SelfSpendRefusal {
  const { exposed, destinationScriptHex: scriptHex, lastOffset, isSoldBySats, feeRate } = terms
  if (isSoldBySats) return { outcome: 'sats-in-fee' }
  const vbytes = transactionVbytes([exposed.spend], [scriptHex])
  const feeSats = feeAt(feeRate, vbytes)
  const whole = BigInt(exposed.output.valueSats)
  const leftSats = whole - feeSats
  const mostSats = whole / 2n
  if (feeSats > mostSats) return { outcome: 'fee-too-high', feeSats, mostSats }
  if (lastOffset !== null && lastOffset >= leftSats) {
    return { outcome: 'asset-in-fee', offset: lastOffset, leftSats }
  }
  const leastSats = dustThreshold(scriptHex)
  if (leftSats < leastSats) return { outcome: 'dust-after-fee', leftSats, leastSats }
  const outputs = [{ valueSats: leftSats.toString(), scriptHex }]
  const none = { changeSats: 0n, foldedSats: 0n }
  return conserving({ outcome: 'laid-out', inputs: [exposed], outputs, vbytes, feeSats, ...none })
}

function withFunding(terms: SelfSpendTerms): SelfSpendLayout | SelfSpendRefusal {
  const { exposed, funding, destinationScriptHex, changeScriptHex, feeRate } = terms
  const kept = { valueSats: exposed.output.valueSats, scriptHex: destinationScriptHex }
  return withChange({ inputs: [exposed, ...funding], outputs: [kept], changeScriptHex, feeRate })
}
