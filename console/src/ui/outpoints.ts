import type { Outpoint } from 'psbt-market-client'

const OUTPOINT = /^([0-9a-f]{64}):([0-9]{1,10})$/

/** @throws Error naming an invalid one */
export function outpointOf(text: string): Outpoint {
  const [, txid, vout] = OUTPOINT.exec(text.toLowerCase()) ?? []
  if (txid === undefined) throw new Error(`${text.slice(0, 80)} is not an outpoint: TXID:VOUT`)
  return { txid, vout: Number(vout) }
}

/**
 * Outpoints, one a line or separated by spaces or commas.
 * @throws Error naming the first invalid one
 */
export const outpointsOf = (text: string): Outpoint[] =>
  text
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .map(outpointOf)

export const outpointText = ({ txid, vout }: Outpoint): string => `${txid}:${vout}`
