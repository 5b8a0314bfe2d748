import type { OutputEvidence } from '../../../src/schemas/evidence.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'

export interface NaiveTip {
  height: number
  medianTime: number
}

/** The rules of locks in plain form (BIP65, BIP68, BIP113), independent of the service's own. */
function mayBeInNextBlock(
  { kept: { offer } }: OrderRecord,
  output: Exclude<OutputEvidence, { status: 'missing' }>,
  prior: number,
  tip: NaiveTip,
): boolean {
  const next = tip.height + 1
  const sequence = offer.sequences[offer.sellerIndex] ?? 0
  const { locktime, version } = offer
  const isTimeless = locktime === 0 || sequence === 0xffffffff
  const isPast = locktime < 500_000_000 ? locktime < next : locktime < tip.medianTime
  if (!isTimeless && !isPast) return false
  const made = output.block?.height ?? next
  if (output.status === 'unspent' && output.coinbase && output.block && next - made < 100) {
    return false
  }
  if (version < 2 || sequence >= 2 ** 31) return true
  const units = sequence % 2 ** 16
  const isSeconds = Math.floor(sequence / 2 ** 22) % 2 === 1
  return isSeconds
    ? (output.block ? prior : tip.medianTime) + units * 512 <= tip.medianTime
    : made + units <= next
}

/**
 * The lowest prices of an output's asks by checking all of them; the lowest id among equal ones.
 */
export function lowestNaively(
  orders: readonly OrderRecord[],
  output: OutputEvidence,
  prior: number,
  tip: NaiveTip,
): { now: [string, string] | null; ever: [string, string] | null } {
  if (output.status === 'spent' && output.confirmed) return { now: null, ever: null }
  const signed = orders.filter(({ proved, kept }) => proved === true && kept.offer.side === 'ASK')
  const now =
    output.status === 'missing'
      ? []
      : signed.filter((order) => mayBeInNextBlock(order, output, prior, tip))
  return { now: least(now), ever: least(signed) }
}

function least(orders: readonly OrderRecord[]): [string, string] | null {
  let best: [string, string] | null = null
  for (const { id, kept } of orders) {
    const sats = kept.offer.payouts[0]?.valueSats ?? ''
    const isLess =
      best === null ||
      BigInt(sats) < BigInt(best[1]) ||
      (BigInt(sats) === BigInt(best[1]) && id < best[0])
    if (isLess) best = [id, sats]
  }
  return best
}
