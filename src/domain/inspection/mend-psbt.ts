import type { Pair } from '../psbt/key-value-maps.ts'
import { ORDER_LIMITS } from '../psbt/psbt-limits.ts'
import { readPsbtMaps, writePsbtMaps } from '../psbt/psbt-maps.ts'
import { decodePsbtText, encodeBase64 } from '../psbt/psbt-text.ts'
import { readWitness, witnessItems } from '../psbt/witness.ts'
import type { InspectionReason } from '../reasons/inspection-reasons.ts'
import { SIGHASH } from '../script/sighash.ts'
import { type Inspected, inspectPsbt } from '../verdict/inspect.ts'
import { witnessBytes } from '../verdict/node-question.ts'
import type { ProblemCode } from './problem.ts'

const SIGHASH_TYPE = 0x03
const FINAL_SCRIPT_WITNESS = 0x08
const TAP_KEY_SIG = 0x13
const TAP_SCRIPT_SIG = 0x14
const SIGNATURE_BYTES = 64

/** Inspection reasons whose cause can be mended, each with the problem that is reported instead. */
const MENDABLE: ReadonlyMap<string, ProblemCode> = new Map<InspectionReason, ProblemCode>([
  ['sighash_default', 'sighash_byte_missing_recoverable'],
  ['sighash_field_differs', 'sighash_field_differs'],
])

/** An ask whose bytes were mended, and the problems that this solves if its signature is valid. */
export interface Mended {
  inspected: Inspected
  mends: string[]
}

/**
 * The ask with 83 behind each taproot signature of 64 bytes, and without a sighash field that names
 * another sighash. Whether its signature is then valid is for the authorities: no byte of a
 * signature is changed. Null if the result is not an ask, or nothing changes.
 */
export function mendPsbt({ artifact, inspection, offer }: Inspected): Mended | null {
  const mends = inspection.reasons.flatMap((reason) => MENDABLE.get(reason) ?? [])
  if (mends.length === 0 || offer.side !== 'ASK') return null
  const bytes = decodePsbtText(artifact, ORDER_LIMITS.bytes)
  const { inputs, ...rest } = readPsbtMaps(bytes, ORDER_LIMITS)
  const changed = inputs.map((map, at) => (at === offer.sellerIndex ? map.flatMap(mended) : map))
  const text = encodeBase64(writePsbtMaps({ ...rest, inputs: changed }))
  const inspected = readable(text)
  return inspected?.inspection.orderClass === 'ASK_ANYONECANPAY' &&
    inspected.digest !== inspection.digest
    ? { inspected, mends }
    : null
}

/** Null if it cannot be read: the added byte may exceed a bound. */
function readable(text: string): Inspected | null {
  try {
    return inspectPsbt(text)
  } catch {
    return null
  }
}

function mended(pair: Pair): Pair[] {
  const { type, value } = pair
  switch (type) {
    case SIGHASH_TYPE:
      return Buffer.from(value).readUInt32LE(0) === SIGHASH.SINGLE_ANYONECANPAY ? [pair] : []
    case FINAL_SCRIPT_WITNESS:
      return [{ ...pair, value: mendedWitness(value) }]
    case TAP_KEY_SIG:
    case TAP_SCRIPT_SIG:
      return [{ ...pair, value: mendedSignature(value) }]
    default:
      return [pair]
  }
}

function mendedWitness(bytes: Uint8Array): Uint8Array {
  const form = readWitness(bytes)
  if (!form || form.kind === 'witness-v0') return bytes
  // A script may also be 64 bytes long: only the items below it are signatures.
  const signatures = form.kind === 'key-path' ? 1 : form.stack.length
  const items = witnessItems(bytes) ?? []
  return witnessBytes(items.map((item, at) => (at < signatures ? mendedSignature(item) : item)))
}

const mendedSignature = (item: Uint8Array): Uint8Array =>
  item.length === SIGNATURE_BYTES ? Uint8Array.of(...item, SIGHASH.SINGLE_ANYONECANPAY) : item
