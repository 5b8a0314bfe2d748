import { createHash } from 'node:crypto'
import type { PsbtInspection } from '../schemas/order.ts'
import type { Offer } from '../schemas/order-record.ts'
import type { TxOut } from '../schemas/scalars.ts'
import { type Classification, classify } from './classify.ts'
import { outpointText } from './outpoint.ts'
import { hasProprietaryFields, hasUnknownFields } from './psbt/field-types.ts'
import { factsOf, type PsbtFacts } from './psbt/psbt-facts.ts'
import { ORDER_LIMITS } from './psbt/psbt-limits.ts'
import { decodePsbtText, encodeBase64 } from './psbt/psbt-text.ts'
import { type ReadPsbt, readPsbt } from './psbt/read-psbt.ts'

/** A PSBT as an order, before anybody was asked whether any of it is true. */
export interface Inspected {
  /** Canonical base64 of the PSBT as it came. */
  artifact: string
  /** SHA-256 of its bytes. */
  digest: string
  inspection: PsbtInspection
  /** For an unsupported PSBT that of the input that comes closest to an offered one. */
  offer: Offer
  /** The offered output as the PSBT tells it. */
  claimedPrevout: TxOut | null
}

/**
 * Inspects the text of a PSBT, base64 or hex, of version 0 or 2: its class, its safety, and every
 * reason that speaks against it. Pure and bounded: at most `ORDER_LIMITS` of anything is looked at.
 *
 * @throws PsbtRefused and nothing else, whatever the text
 */
export function inspectPsbt(text: string): Inspected {
  const read = readPsbt(decodePsbtText(text, ORDER_LIMITS.bytes), ORDER_LIMITS)
  const facts = factsOf(read)
  const found = classify(facts)
  const digest = createHash('sha256').update(read.bytes).digest('hex')
  return {
    artifact: encodeBase64(read.bytes),
    digest,
    inspection: inspectionOf(read, facts, found, digest),
    offer: offerOf(read, facts, found),
    claimedPrevout: facts.inputs[found.sellerIndex]?.prevout ?? null,
  }
}

function inspectionOf(
  { maps, unsigned }: ReadPsbt,
  { inputs, outputs }: PsbtFacts,
  { orderClass, safety, reasons, sellerIndex }: Classification,
  digest: string,
): PsbtInspection {
  return {
    psbtVersion: maps.version,
    unsignedTxid: unsigned.getId(),
    digest,
    inputCount: inputs.length,
    outputCount: outputs.length,
    inputOutpoints: inputs.map(({ outpoint }) => outpoint),
    inputWitnessUtxos: inputs.map(({ witnessUtxo }) => witnessUtxo),
    outputValuesSats: outputs.map(({ valueSats }) => valueSats),
    outputScriptsHex: outputs.map(({ scriptHex }) => scriptHex),
    hasProprietaryFields: hasProprietaryFields(maps),
    hasUnknownFields: hasUnknownFields(maps),
    signatureStatus: inputs[sellerIndex]?.signatures.isSigned ? 'UNAVAILABLE' : 'NONE',
    orderClass,
    safety,
    reasons,
  }
}

function offerOf(
  { unsigned }: ReadPsbt,
  { version, locktime, inputs, outputs }: PsbtFacts,
  { side, sellerIndex }: Classification,
): Offer {
  const outpoints = inputs.map(({ outpoint }) => outpointText(outpoint))
  return {
    side,
    sellerIndex,
    outpoint: outpoints[sellerIndex] ?? '',
    version,
    locktime,
    sequences: inputs.map(({ sequence }) => sequence),
    payouts: side === 'BID' ? outputs : outputs.slice(sellerIndex, sellerIndex + 1),
    funding: side === 'BID' ? outpoints.filter((_, at) => at !== sellerIndex) : [],
    unsignedTxid: unsigned.getId(),
  }
}
