import type { Outpoint } from 'psbt-market-client'
import { FieldError } from './faults.ts'
import { textIn } from './form-text.ts'

const OUTPOINT = /^([0-9a-f]{64}):([0-9]{1,10})$/

/** @throws Error naming an invalid one */
export function outpointOf(text: string): Outpoint {
  const [, txid, vout] = OUTPOINT.exec(text.toLowerCase()) ?? []
  if (txid === undefined) throw new Error(`${text.slice(0, 80)} is not an outpoint: TXID:VOUT`)
  return { txid, vout: Number(vout) }
}

/** @throws FieldError saying what to write */
export const outpointIn = (given: FormData, name: string): Outpoint =>
  outpointOfField(name, textIn(given, name))

/**
 * Outpoints, one a line or separated by spaces or commas.
 * @throws FieldError naming the first invalid one
 */
export const outpointsIn = (given: FormData, name: string): Outpoint[] =>
  textIn(given, name)
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .map((one) => outpointOfField(name, one))

function outpointOfField(name: string, text: string): Outpoint {
  try {
    return outpointOf(text)
  } catch {
    throw new FieldError(name, `${text.slice(0, 80)} is not an output.`)
  }
}

/** What a field of outputs takes. */
export const OUTPUT_CURE =
  'An output is the transaction’s id of 64 characters, a colon, and its place: 3f…9a:0.'

export const outpointText = ({ txid, vout }: Outpoint): string => `${txid}:${vout}`
