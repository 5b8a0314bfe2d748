import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import type { ListedFilters } from '../../../src/domain/listing/actionable.ts'
import type { FreshnessTerms } from '../../../src/domain/order/order-summary.ts'
import type { OrderQuery } from '../../../src/ports/views/order-views.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { Actionability } from '../../../src/schemas/scalars.ts'
import { type Dice, PROTOCOLS, SOURCES, STATES } from './order-book.ts'

/** One or two filters of a list, most of which match some of these orders. */
export function someFilters(roll: Dice, orders: readonly OrderRecord[]): Partial<OrderQuery> {
  const one = roll.of(orders)
  const asset = one.assets[0]
  const choices: Partial<OrderQuery>[] = [
    {},
    { includeWithdrawn: false },
    { hidden: true },
    { hidden: 'either' },
    { state: roll.of(STATES) },
    { states: [...new Set([roll.of(STATES), roll.of(STATES), roll.of(STATES)])] },
    somePrices(roll, one),
    { updatedSince: timeNear(roll, one.updatedAt) },
    { groupProtocols: roll.of([['inscriptions'], ['names', PROTOCOLS[0]!]]) },
    { protocols: roll.of([[], [roll.of(PROTOCOLS)], PROTOCOLS.slice(1), ['inscriptions']]) },
    { token: (one.token ?? 'ORDI').toUpperCase() },
    { source: roll.of(SOURCES) },
    { safety: one.kept.inspection.safety },
    { orderClass: one.kept.inspection.orderClass },
    { signature: one.kept.inspection.signatureStatus },
    { side: roll.of(['ASK', 'BID']) },
    { outpoint: one.outpoint },
    ...one.kept.offer.funding.map((funding) => ({ funding })),
    ...(one.sellerScriptHex ? [{ sellerScriptHex: one.sellerScriptHex }] : []),
    ...(asset ? [{ assetInscriptionId: asset.inscriptionId }] : []),
    ...(asset ? [{ provedInscriptionId: asset.inscriptionId }] : []),
    ...(asset ? [{ assetOutpoint: outpointText(asset.outpoint) }] : []),
    ...someSearches(roll, one).map((search) => ({ search })),
  ]
  return { ...roll.of(choices), ...(roll.chance(0.4) ? roll.of(choices) : {}) }
}

/** The same of a list at one moment: half of them also ask for what can be done with an order then. */
export function someListedFilters(
  roll: Dice,
  orders: readonly OrderRecord[],
  moment: FreshnessTerms,
): Partial<ListedFilters> {
  const is = roll.of(Actionability.options)
  return {
    ...someFilters(roll, orders),
    ...(roll.chance(0.5) && { actionability: { ...moment, is } }),
  }
}

/** Often ends at some order's price, or next to it. */
function somePrices(roll: Dice, one: OrderRecord): Partial<OrderQuery> {
  const end = (sats: string) => {
    const near = BigInt(sats) + BigInt(roll.below(3)) - 1n
    return String(near < 0n ? 0n : near)
  }
  const price = one.quotedPriceSats ?? '0'
  const choices = [price, '0', '9', '49', '100', String(roll.below(2 ** 31)), '2099999999999999']
  const some = () => end(roll.of(choices))
  return roll.of([
    { priceMin: some() },
    { priceMax: some() },
    { priceMin: some(), priceMax: some() },
  ])
}

/** The time itself, just beside it, at the end of its day, or some days away. */
function timeNear(roll: Dice, time: string): string {
  const ms = Date.parse(time)
  const day = Math.floor(ms / DAY_MS) * DAY_MS
  return new Date(
    roll.of([
      ms,
      ms + 1,
      ms - 1,
      day,
      day + DAY_MS,
      day + DAY_MS - 1,
      ms + (roll.below(40) - 20) * DAY_MS,
    ]),
  ).toISOString()
}

const DAY_MS = 86_400_000

function someSearches(roll: Dice, one: OrderRecord): string[] {
  const asset = one.assets[0]
  const cut = (text: string) => text.slice(0, 1 + roll.below(text.length))
  return [
    cut(one.id),
    cut(one.id).toUpperCase(),
    cut(one.outpoint.slice(0, 64)),
    ...(one.spend ? [cut(one.spend.txid), one.spend.txid] : []),
    'bcrt1q',
    'BITCOIN-',
    'punk',
    'Ét',
    '#1',
    'k #',
    roll.hex(1),
    String(roll.below(100)),
    '-',
    ...(asset ? [cut(asset.inscriptionId), asset.inscriptionId] : []),
    ...(asset?.inscriptionNumber === undefined ? [] : [cut(String(asset.inscriptionNumber))]),
  ]
}
