import type { PreflightReject } from '../../schemas/api/purchase.ts'
import type { InscriptionAt } from '../../schemas/evidence.ts'
import type { Offer } from '../../schemas/order-record.ts'
import type { TxOut } from '../../schemas/scalars.ts'
import { runeLanding } from '../assets/runestone.ts'
import { type Landing, landingOf } from '../assets/sat-flow.ts'
import { outpointText } from '../chain/outpoint.ts'
import { isOwnerless } from '../script/relay.ts'
import type { FinalTransaction } from './final-transaction.ts'

/** Why a purchase would fail its purpose. The code is the `rejectReason` of a preflight. */
export interface PurchaseFault {
  code: PreflightReject
  detail: string
}

const OP_RETURN = /^6a/

/** The index of the offered input if the transaction is bound to the order; else why it is not. */
export function bindPurchase(
  transaction: FinalTransaction,
  offer: Offer,
): { sellerIndex: number } | PurchaseFault {
  const { inputs, outputs } = transaction
  const spent = inputs.map(({ outpoint }) => outpointText(outpoint))
  const twice = spent.find((text, index) => spent.indexOf(text) !== index)
  if (twice !== undefined) return fault('duplicate_input', `${twice} is spent twice`)
  const sellerIndex = spent.indexOf(offer.outpoint)
  if (sellerIndex === -1) {
    return fault('offered_output_not_spent', `no input spends ${offer.outpoint}`)
  }
  const changed = changedTerm(transaction, sellerIndex, offer)
  if (changed !== null) return fault('authorisation_changed', changed)
  const [payout] = offer.payouts
  const paid = outputs[sellerIndex]
  if (!payout || !paid) {
    return fault('payout_missing', `there is no output at ${sellerIndex}, the seller's index`)
  }
  if (paid.valueSats !== payout.valueSats || paid.scriptHex !== payout.scriptHex) {
    const due = `${payout.valueSats} sats to ${payout.scriptHex}`
    return fault('payout_changed', `output ${sellerIndex} does not pay ${due}`)
  }
  return { sellerIndex }
}

/** What 0x83 commits to besides its own input and output. */
function changedTerm(
  { version, locktime, inputs }: FinalTransaction,
  sellerIndex: number,
  offer: Offer,
): string | null {
  const [sequence, offered] = [inputs[sellerIndex]?.sequence, offer.sequences[offer.sellerIndex]]
  if (version !== offer.version) return `version ${version} is not the seller's ${offer.version}`
  if (locktime !== offer.locktime) {
    return `locktime ${locktime} is not the seller's ${offer.locktime}`
  }
  return sequence === offered ? null : `sequence ${sequence} is not the seller's ${offered}`
}

/** Where each asset of the offered output goes. */
export interface AssetLanding {
  inscriptionId: string
  output: number
  offset: bigint
}

/**
 * Traces each asset's sat to an output that is the buyer's: not the payout, not data, not the fee.
 * `prevouts` are the prevouts of all inputs, in order.
 */
export function traceAssets(
  { outputs }: FinalTransaction,
  sellerIndex: number,
  prevouts: readonly TxOut[],
  inscriptions: readonly InscriptionAt[],
): AssetLanding[] | PurchaseFault {
  const values = prevouts.map(({ valueSats }) => BigInt(valueSats))
  const made = outputs.map(({ valueSats }) => BigInt(valueSats))
  const feeSats = total(values) - total(made)
  if (feeSats < 0n) {
    return fault('outputs_exceed_inputs', `the outputs are worth ${-feeSats} sats more`)
  }
  const landings: AssetLanding[] = []
  for (const { id, offset } of inscriptions) {
    const landing = landingOf({ input: sellerIndex, offset: BigInt(offset) }, values, made)
    const wrong = misplaced(id, landing, sellerIndex, outputs)
    if (wrong) return wrong
    if (landing.kind === 'output') {
      landings.push({ inscriptionId: id, output: landing.index, offset: landing.offset })
    }
  }
  return landings
}

function misplaced(
  id: string,
  landing: Landing,
  sellerIndex: number,
  outputs: readonly TxOut[],
): PurchaseFault | null {
  if (landing.kind === 'fee') return fault('asset_to_fee', `${id} would be paid to the miner`)
  if (landing.index === sellerIndex) {
    return fault('asset_to_payout', `${id} would go to the seller in output ${landing.index}`)
  }
  return isNobodys(outputs[landing.index]?.scriptHex ?? '')
    ? fault('asset_burned', `${id} would be burned in output ${landing.index}`)
    : null
}

/** Data, and witness programs without an owner. */
const isNobodys = (scriptHex: string): boolean =>
  OP_RETURN.test(scriptHex) || isOwnerless(scriptHex)

/**
 * If the index names no asset, the output's own sats are what is sold (rare ones, say): do all of
 * them reach the buyer? `prevouts` as for `traceAssets`, which has checked that they suffice.
 */
export function traceSats(
  { outputs }: FinalTransaction,
  sellerIndex: number,
  prevouts: readonly TxOut[],
): PurchaseFault | null {
  const from = total(prevouts.slice(0, sellerIndex).map(({ valueSats }) => BigInt(valueSats)))
  const until = from + BigInt(prevouts[sellerIndex]?.valueSats ?? 0)
  let start = 0n
  for (const [index, { valueSats }] of outputs.entries()) {
    const end = start + BigInt(valueSats)
    const landing = { kind: 'output' as const, index, offset: 0n }
    // An output without a sat takes none of them, wherever it is.
    const takes = start < end && start < until && from < end
    const wrong = takes ? misplaced(OFFERED_SATS, landing, sellerIndex, outputs) : null
    if (wrong) return wrong
    start = end
  }
  return start < until ? misplaced(OFFERED_SATS, { kind: 'fee' }, sellerIndex, outputs) : null
}

const OFFERED_SATS = 'a part of the offered output'

/** Do the offered output's runes reach the buyer? Called only if there may be some. */
export function traceRunes(
  { outputs }: FinalTransaction,
  sellerIndex: number,
): PurchaseFault | null {
  const landing = runeLanding(outputs.map(({ scriptHex }) => scriptHex))
  if (landing.kind === 'burned') {
    return fault('runes_burned', 'the runes of the offered output would be burned')
  }
  if (landing.indexes.includes(sellerIndex)) {
    return fault('runes_to_payout', `runes would go to the seller in output ${sellerIndex}`)
  }
  const lost = landing.indexes.find((index) => isNobodys(outputs[index]?.scriptHex ?? ''))
  return lost === undefined
    ? null
    : fault('runes_burned', `runes would go to output ${lost}, which has no owner`)
}

const fault = (code: PurchaseFault['code'], detail: string): PurchaseFault => ({ code, detail })

const total = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n)
