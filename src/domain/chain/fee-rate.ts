/** Sats per 1,000 vB: a decimal sat/vB rate as a whole number, since money is never a float. */
export type FeeRate = bigint

const RATE = /^(0|[1-9][0-9]{0,8})(?:\.([0-9]{1,3}))?$/

/** Reads sat/vB with at most three decimals; null for any other text. */
export function parseFeeRate(text: string): FeeRate | null {
  const [, whole, decimals = ''] = RATE.exec(text) ?? []
  return whole === undefined ? null : BigInt(whole + decimals.padEnd(3, '0'))
}

/** sat/vB without trailing zeros. */
export function feeRateText(rate: FeeRate): string {
  const decimals = (rate % 1_000n).toString().padStart(3, '0').replace(/0+$/, '')
  return `${rate / 1_000n}${decimals === '' ? '' : `.${decimals}`}`
}

/** The least fee in sats for this many vB, rounded up as a node rounds. */
export const feeAt = (rate: FeeRate, vbytes: bigint): bigint => (rate * vbytes + 999n) / 1_000n
