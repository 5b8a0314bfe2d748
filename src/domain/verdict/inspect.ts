import { createHash } from 'node:crypto'
import type { PsbtInspection } from '../../schemas/order.ts'
import type { Offer } from '../../schemas/order-record.ts'
import type { TxOut } from '../../schemas/scalars.ts'
import { transactionId } from '../chain/hash256.ts'
import { outpointText } from '../chain/outpoint.ts'
import { claimBytes, isTooLongScript, MAX_CLAIM_BYTES, MAX_SCRIPT_BYTES } from '../limits.ts'
import { hasProprietaryFields, hasUnknownFields } from '../psbt/field-types.ts'
import { ORDER_LIMITS } from '../psbt/psbt-limits.ts'
import { PsbtRefusedError, psbtTooLarge } from '../psbt/psbt-refused.ts'
import { decodePsbtText, encodeBase64 } from '../psbt/psbt-text.ts'
import { type ReadPsbt, readPsbt } from '../psbt/read-psbt.ts'
import { type Classification, classify } from './classify.ts'
import { factsOf, type PsbtFacts } from './psbt-facts.ts'

/** A PSBT read as an order, before any authority was asked about it. */
export interface Inspected {
  /** Canonical base64 of the PSBT as it came. */
  artifact: string
  /** SHA-256 of its bytes. */
  digest: string
  inspection: PsbtInspection
  /** For an unsupported PSBT, the offer of the input closest to an offered one. */
  offer: Offer
  /** The offered output as the PSBT states it. */
  claimedPrevout: TxOut | null
}

/**
 * Inspects the text of a PSBT, base64 or hex, of version 0 or 2: its class, its safety, and every
 * reason against it. Pure and bounded: at most `ORDER_LIMITS` of anything is read.
 *
 * @throws PsbtRefusedError and nothing else, whatever the text
 */
export function inspectPsbt(text: string): Inspected {
  const read = readPsbt(decodePsbtText(text, ORDER_LIMITS.bytes), ORDER_LIMITS)
  const facts = factsOf(read)
  checkScripts(read, facts)
  const found = classify(facts)
  const digest = createHash('sha256').update(read.bytes).digest('hex')
  const inspected: Inspected = {
    artifact: encodeBase64(read.bytes),
    digest,
    inspection: inspectionOf(read, facts, found, digest),
    offer: offerOf(read, facts, found),
    claimedPrevout: facts.inputs[found.sellerIndex]?.prevout ?? null,
  }
  if (claimBytes(inspected) > MAX_CLAIM_BYTES) {
    throw psbtTooLarge('the scripts of the PSBT are too large together')
  }
  return inspected
}

/** Taproot leaves have no size limit of their own; nor do other parts of a previous transaction. */
function checkScripts({ psbt }: ReadPsbt, { inputs, outputs }: PsbtFacts): void {
  const outs = [...outputs, ...inputs.flatMap(({ prevout }) => prevout ?? [])]
  const fields = [
    ...psbt.data.inputs.flatMap(({ redeemScript, witnessScript }) => [redeemScript, witnessScript]),
    ...psbt.data.outputs.flatMap(({ redeemScript, witnessScript }) => [
      redeemScript,
      witnessScript,
    ]),
  ]
  const isTooLong =
    outs.some(({ scriptHex }) => isTooLongScript(scriptHex)) ||
    fields.some((script) => (script?.length ?? 0) > MAX_SCRIPT_BYTES)
  if (!isTooLong) return
  throw psbtTooLarge(
    `a script of the PSBT is longer than ${MAX_SCRIPT_BYTES} bytes: none can be spent`,
  )
}

function inspectionOf(
  { maps, unsigned }: ReadPsbt,
  { inputs, outputs }: PsbtFacts,
  { orderClass, safety, reasons }: Classification,
  digest: string,
): PsbtInspection {
  return {
    psbtVersion: maps.version,
    unsignedTxid: transactionId(unsigned),
    digest,
    inputCount: inputs.length,
    outputCount: outputs.length,
    inputOutpoints: inputs.map(({ outpoint }) => outpoint),
    inputWitnessUtxos: inputs.map(({ witnessUtxo }) => witnessUtxo),
    outputValuesSats: outputs.map(({ valueSats }) => valueSats),
    outputScriptsHex: outputs.map(({ scriptHex }) => scriptHex),
    hasProprietaryFields: hasProprietaryFields(maps),
    hasUnknownFields: hasUnknownFields(maps),
    // An ask is signed by the seller, a bid by the owners of all other inputs.
    signatureStatus: inputs.some(({ signatures }) => signatures.isSigned) ? 'UNAVAILABLE' : 'NONE',
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
  const outpoint = outpoints[sellerIndex]
  if (outpoint === undefined) throw new Error('the classification names no input')
  return {
    side,
    sellerIndex,
    outpoint,
    version,
    locktime,
    sequences: inputs.map(({ sequence }) => sequence),
    payouts: side === 'BID' ? outputs : outputs.slice(sellerIndex, sellerIndex + 1),
    funding: side === 'BID' ? outpoints.filter((_, at) => at !== sellerIndex) : [],
    unsignedTxid: transactionId(unsigned),
  }
}

/** A refusal is data, so that it can be passed between threads. */
export type ArtifactReading =
  | { status: 'read'; inspected: Inspected }
  | { status: 'refused'; code: PsbtRefusedError['code']; message: string }

/** `inspectPsbt`, for any text. */
export function inspectText(text: string): ArtifactReading {
  try {
    return { status: 'read', inspected: inspectPsbt(text) }
  } catch (cause) {
    if (!(cause instanceof PsbtRefusedError)) throw cause
    return { status: 'refused', code: cause.code, message: cause.message }
  }
}
