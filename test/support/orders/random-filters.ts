import type { OrderQuery } from '../../../src/ports/views/order-views.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { type Dice, PROTOCOLS, SOURCES, STATES } from './order-book.ts'

/** One filter of a list or two, most of which match some of these orders. */
export function someFilters(roll: Dice, orders: readonly OrderRecord[]): Partial<OrderQuery> {
  const one = roll.of(orders)
  const asset = one.assets[0]
  const choices: Partial<OrderQuery>[] = [
    {},
    { includeWithdrawn: false },
    { hidden: true },
    { hidden: 'either' },
    { state: roll.of(STATES) },
    { protocols: roll.of([[], [roll.of(PROTOCOLS)], PROTOCOLS.slice(1), ['inscriptions']]) },
    { token: (one.token ?? 'ORDI').toUpperCase() },
    { source: roll.of(SOURCES) },
    { safety: one.kept.inspection.safety },
    { orderClass: one.kept.inspection.orderClass },
    { signature: one.kept.inspection.signatureStatus },
    { side: roll.of(['ASK', 'BID']) },
    { outpoint: one.outpoint },
    ...(one.sellerScriptHex ? [{ sellerScriptHex: one.sellerScriptHex }] : []),
    ...(asset ? [{ assetInscriptionId: asset.inscriptionId }] : []),
    ...(asset ? [{ assetOutpoint: `${asset.outpoint.txid}:${asset.outpoint.vout}` }] : []),
    ...someSearches(roll, one).map((search) => ({ search })),
  ]
  return { ...roll.of(choices), ...(roll.chance(0.4) ? roll.of(choices) : {}) }
}

function someSearches(roll: Dice, one: OrderRecord): string[] {
  const asset = one.assets[0]
  const cut = (text: string) => text.slice(0, 1 + roll.below(text.length))
  return [
    cut(one.id),
    cut(one.id).toUpperCase(),
    cut(one.outpoint.slice(0, 64)),
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
