import type { NodeEvidence } from '../../schemas/evidence.ts'
import type { Offer, OfferClaim } from '../../schemas/order-record.ts'
import type { TxOut } from '../../schemas/scalars.ts'
import type { Pair } from '../psbt/key-value-maps.ts'
import { ORDER_LIMITS } from '../psbt/psbt-limits.ts'
import { fieldOf, INPUT, readPsbtMaps } from '../psbt/psbt-maps.ts'
import { PsbtRefusedError } from '../psbt/psbt-refused.ts'
import { decodePsbtText } from '../psbt/psbt-text.ts'
import { reopenPsbt } from '../psbt/read-psbt.ts'
import { witnessItems } from '../psbt/witness.ts'
import { EMPTY } from '../satisfy/script-value.ts'
import type { FinalScripts } from '../script/final-scripts.ts'
import {
  leastSpend,
  type SpendSize,
  spendSizeOf,
  transactionVbytes,
} from '../script/input-weight.ts'
import { type KnownCompletion, leastFee, TRUC_VERSION } from '../script/relay.ts'
import { fundingIndex, fundingOf, sumOf, utxoOf } from './funding.ts'
import { factsOf } from './psbt-facts.ts'
import { completionOf } from './signatures.ts'

/** Core MAX_STANDARD_TX_WEIGHT, vB: a fee that suffices for so many suffices for all. */
const MAX_STANDARD_VBYTES = 100_000n

/**
 * The size that a completion of the offer has at least, by its own signatures and the cheapest usual
 * one of the others, and the fee of a bid. Null: not known, or it decides nothing. An ask alone may
 * be all that is bought; a bid has every input.
 */
export function knownCompletion(
  { artifact, offer }: Pick<OfferClaim, 'artifact' | 'offer'>,
  node: Extract<NodeEvidence, { status: 'ready' }>,
): KnownCompletion | null {
  const prevouts = prevoutsOf(offer, node)
  if (!prevouts) return null
  const feeSats = offer.side === 'ASK' ? null : sumOf(prevouts) - sumOf(offer.payouts)
  const isFeeEnough = feeSats === null || feeSats >= leastFee(MAX_STANDARD_VBYTES)
  if (isFeeEnough && offer.version !== TRUC_VERSION) return null
  try {
    const sizes = sizesOf(artifact, offer, prevouts)
    const scripts = offer.payouts.map(({ scriptHex }) => scriptHex)
    return sizes && { leastVbytes: transactionVbytes(sizes, scripts), feeSats }
  } catch (error) {
    // A wrapper that was withheld.
    if (error instanceof PsbtRefusedError) return null
    throw error
  }
}

/** By input index; of an ask its own alone, else null. Null if the node gave not all. */
function prevoutsOf(
  offer: Offer,
  node: Extract<NodeEvidence, { status: 'ready' }>,
): (TxOut | null)[] | null {
  const own = utxoOf(node.output)
  if (offer.side === 'ASK') {
    return own && offer.sequences.map((_, at) => (at === offer.sellerIndex ? own : null))
  }
  const funding = fundingOf(offer, node).map(({ output }) => utxoOf(output))
  const all = [...funding.slice(0, offer.sellerIndex), own, ...funding.slice(offer.sellerIndex)]
  return all.includes(null) ? null : all
}

const NONE: ReadonlyMap<number, FinalScripts> = new Map()

/** Null if the scripts of a signed input are not known. */
function sizesOf(
  artifact: string,
  offer: Offer,
  prevouts: readonly (TxOut | null)[],
): SpendSize[] | null {
  const bytes = decodePsbtText(artifact, ORDER_LIMITS.bytes)
  const { inputs } = readPsbtMaps(bytes, ORDER_LIMITS)
  const signed =
    offer.side === 'ASK'
      ? [offer.sellerIndex]
      : offer.funding.map((_, at) => fundingIndex(offer, at))
  const final = inputs.map((map) => finalScripts(map))
  const open = signed.filter((at) => !final[at])
  const completed = open.length > 0 ? completionsOf(bytes, open, prevouts) : NONE
  const scriptsAt = (at: number): FinalScripts | null => final[at] ?? completed.get(at) ?? null
  const sizes = signed.map((at) => {
    const scripts = scriptsAt(at)
    const prevout = prevouts[at]
    return scripts && prevout ? spendSizeOf(prevout.scriptHex, scripts) : null
  })
  const known = sizes.filter((size) => size !== null)
  if (known.length < sizes.length) return null
  const offered = offer.side === 'BID' && prevouts[offer.sellerIndex]
  return offered ? [...known, leastSpend(offered.scriptHex)] : known
}

/** The scripts of an input that is final in the frame of its PSBT; an empty field is no field. */
function finalScripts(map: readonly Pair[]): FinalScripts | null {
  const scriptSig = fieldOf(map, INPUT.finalScriptSig) ?? EMPTY
  const witness = witnessItems(fieldOf(map, INPUT.finalScriptWitness) ?? EMPTY) ?? []
  return scriptSig.length > 0 || witness.length > 0 ? { scriptSig, witness } : null
}

/** The cheapest scripts that the signatures of these inputs would give if they verify: a check apart. */
function completionsOf(
  bytes: Uint8Array,
  open: readonly number[],
  prevouts: readonly (TxOut | null)[],
): ReadonlyMap<number, FinalScripts> {
  const read = reopenPsbt(bytes, ORDER_LIMITS)
  const facts = factsOf(read)
  const found = open.flatMap((at): [number, FinalScripts][] => {
    const completion = completionOf(read, facts, at, prevouts, null)
    return completion.status === 'complete' ? [[at, completion.scripts]] : []
  })
  return new Map(found)
}
