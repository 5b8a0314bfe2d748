import type { OrderClass, OrderSide, Safety } from '../../schemas/scalars.ts'
import type { InspectionReason } from '../reasons/inspection-reasons.ts'
import { SIGHASH } from '../script/sighash.ts'
import { sumOf } from './funding.ts'
import type { InputFacts, PsbtFacts } from './psbt-facts.ts'

export interface Classification {
  orderClass: OrderClass
  safety: Safety
  side: OrderSide
  /** The offered input; for an unsupported PSBT the input closest to one. */
  sellerIndex: number
  reasons: InspectionReason[]
}

/** Each of a bid's own inputs costs a question to the node and a signature verification. */
const MAX_FUNDING_INPUTS = 16

/**
 * The class of an order (docs/design/orders.md#inspection), read from the signatures alone, without
 * any authority: whether they verify, and whether the prevouts are as claimed, is checked later.
 */
export function classify(facts: PsbtFacts): Classification {
  const signed = indexesOf(facts.inputs, ({ signatures }) => signatures.isSigned)
  const unsigned = indexesOf(facts.inputs, ({ signatures }) => !signatures.isSigned)
  const [seller, ...others] = signed
  if (seller === undefined) return unsupported('ASK', 0, ['unsigned'])

  const isSignedAsBid = signed.every((at) => isBidder(facts.inputs[at]))
  const [offered, ...more] = unsigned
  if (isSignedAsBid && offered !== undefined && more.length === 0) {
    const reasons = bidReasons(facts, signed, offered)
    if (reasons.length === 0) return bid(offered)
    // A single 64-byte signature beside a placeholder may also be an ask that lacks its byte, but
    // not where the inputs pay for everything, as a buyer's do.
    const isPayment = reasons.every((reason) => reason === 'bid_pays_owner_nothing')
    if (isPayment || !isDefault(facts.inputs[seller]) || others.length > 0) {
      return unsupported('BID', offered, reasons)
    }
  }
  const notABid: InspectionReason[] =
    isSignedAsBid && more.length > 0 ? ['several_unsigned_inputs'] : []
  return others.length === 0 ? ask(facts, seller, notABid) : several(facts, signed, notABid)
}

const bid = (sellerIndex: number): Classification => ({
  orderClass: 'BID_FULLY_FUNDED',
  safety: 'TARGETED_REVIEW',
  side: 'BID',
  sellerIndex,
  reasons: [],
})

const unsupported = (
  side: OrderSide,
  sellerIndex: number,
  reasons: InspectionReason[],
): Classification => ({
  orderClass: 'UNSUPPORTED',
  safety: 'UNSUPPORTED',
  side,
  sellerIndex,
  reasons,
})

function ask(
  { inputs, outputs }: PsbtFacts,
  sellerIndex: number,
  notABid: InspectionReason[],
): Classification {
  const input = inputs[sellerIndex]
  const reasons: InspectionReason[] = []
  if (!isReadable(input)) reasons.push('signature_unreadable')
  else if (!isSeller(input) && !isDefault(input)) reasons.push('sighash_not_single_anyonecanpay')
  if (fieldDiffers(input)) reasons.push('sighash_field_differs')
  if (sellerIndex >= outputs.length) reasons.push('no_output_at_index')
  if (input?.isLegacy) reasons.push('legacy_input')
  // Not a reason against the class: with the byte added the authorisation is still the same order.
  const lacksByte: InspectionReason[] = isDefault(input) ? ['sighash_default'] : []
  if (reasons.length > 0) {
    return unsupported('ASK', sellerIndex, [...notABid, ...reasons, ...lacksByte])
  }
  return {
    orderClass: 'ASK_ANYONECANPAY',
    safety: inputs.length === 1 && outputs.length === 1 ? 'PUBLIC_RACEABLE' : 'TARGETED_REVIEW',
    side: 'ASK',
    sellerIndex,
    reasons: lacksByte,
  }
}

/** More than one input is signed, and they do not form a bid. */
function several(
  { inputs }: PsbtFacts,
  signed: readonly number[],
  notABid: InspectionReason[],
): Classification {
  const signers = signed.map((at) => inputs[at])
  const seller = signed.find((at) => isSeller(inputs[at])) ?? signed[0] ?? 0
  const reasons: InspectionReason[] = notABid.length > 0 ? notABid : ['several_offered_inputs']
  if (!signers.every(isReadable)) reasons.push('signature_unreadable')
  if (!signers.every(isSeller)) reasons.push('sighash_not_single_anyonecanpay')
  return unsupported('ASK', seller, reasons)
}

function bidReasons(
  { inputs, outputs }: PsbtFacts,
  signed: readonly number[],
  offered: number,
): InspectionReason[] {
  const reasons: InspectionReason[] = []
  if (signed.length > MAX_FUNDING_INPUTS) reasons.push('bid_too_many_inputs')
  if (signed.some((at) => fieldDiffers(inputs[at]))) reasons.push('sighash_field_differs')
  if (inputs.some(({ prevout }) => prevout === null)) return [...reasons, 'bid_value_unknown']
  const available = sumOf(inputs.map(({ prevout }) => prevout))
  if (available <= sumOf(outputs)) reasons.push('bid_not_funded')
  const owner = inputs[offered]?.prevout?.scriptHex
  const toOwner = outputs.filter(({ scriptHex }) => scriptHex === owner)
  if (sumOf(toOwner) === 0n) reasons.push('bid_pays_owner_nothing')
  return reasons
}

type Input = InputFacts | undefined

const isReadable = (input: Input): boolean => input?.signatures.isReadable ?? false

const signedOnlyWith = (input: Input, ...sighashes: number[]): boolean =>
  isReadable(input) &&
  (input?.signatures.sighashes.every((sighash) => sighashes.includes(sighash)) ?? false)

const isSeller = (input: Input) => signedOnlyWith(input, SIGHASH.SINGLE_ANYONECANPAY)
const isDefault = (input: Input) => signedOnlyWith(input, SIGHASH.DEFAULT)
const isBidder = (input: Input) => signedOnlyWith(input, SIGHASH.ALL, SIGHASH.DEFAULT)

// A DEFAULT signature names no sighash: the field cannot contradict it.
const fieldDiffers = (input: Input): boolean => {
  const field = input?.sighashField ?? null
  if (field === null || !input || !isReadable(input) || isDefault(input)) return false
  return !signedOnlyWith(input, field)
}

const indexesOf = (inputs: readonly InputFacts[], has: (input: InputFacts) => boolean): number[] =>
  inputs.flatMap((input, at) => (has(input) ? [at] : []))
