import type { Outpoint } from 'market-client'

const OUTPOINT = /^([0-9a-f]{64}):([0-9]{1,10})$/

/**
 * Outpoints, one a line or separated by spaces or commas.
 *
 * @throws Error naming the first that is none
 */
export function outpointsOf(text: string): Outpoint[] {
  return text
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .map((one) => {
      const [, txid, vout] = OUTPOINT.exec(one.toLowerCase()) ?? []
      if (txid === undefined) throw new Error(`${one.slice(0, 80)} is no outpoint: TXID:VOUT`)
      return { txid, vout: Number(vout) }
    })
}
