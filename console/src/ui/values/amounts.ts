const SATS_PER_BTC = 100_000_000n
const DIGITS = /^-?[0-9]+$/

/** Sats in groups of three: `1 234 567`; anything but a whole number is shown as it is. */
export const groupedSats = (sats: string): string =>
  DIGITS.test(sats) ? sats.replace(/\B(?=(?:[0-9]{3})+$)/g, '\u202f') : sats

/** The same amount in BTC, with all eight decimals: no rounding. */
export function btcOf(sats: string): string {
  if (!DIGITS.test(sats)) return sats
  const amount = BigInt(sats)
  const size = amount < 0n ? -amount : amount
  const decimals = (size % SATS_PER_BTC).toString().padStart(8, '0')
  return `${amount < 0n ? '-' : ''}${size / SATS_PER_BTC}.${decimals}`
}

const BTC = /^([0-9]{1,8})(?:\.([0-9]{1,8}))?btc$/i
const GROUPED = /^[1-9][0-9]{0,2}(?:,[0-9]{3})+$/

/**
 * The sats that a person wrote: `100 000`, `100,000`, `0.001 BTC`. Anything else is given back as it is,
 * for the service to refuse.
 */
export function satsIn(text: string): string {
  const bare = text.replace(/[\s_]/g, '')
  const btc = BTC.exec(bare)
  if (btc) return BigInt(`${btc[1]}${(btc[2] ?? '').padEnd(8, '0')}`).toString()
  const digits = GROUPED.test(bare) ? bare.replaceAll(',', '') : bare
  return /^[0-9]+$/.test(digits) ? BigInt(digits).toString() : text
}

/** `a - b`, sats; null where `b` is unknown. */
export const lessOf = (a: string, b: string | null): string | null =>
  b === null ? null : (BigInt(a) - BigInt(b)).toString()
