import { expect, test } from 'vitest'
import { outpointText } from '../../src/domain/chain/outpoint.ts'
import { isListed } from '../../src/domain/listing/filters.ts'
import { ORDER_SORTS } from '../../src/domain/listing/sorts.ts'
import { PARTS_VERSION, QueryIndex } from '../../src/query-index/query-index.ts'
import { type OrderRow, rowOf, UNPRICED } from '../../src/query-index/row.ts'
import { toTxid } from '../support/ids.ts'
import { dice, orderOf } from '../support/orders/order-book.ts'

const ORDERS = 3_000

const roll = dice(7)
const sellers: string[] = []
const rows = Array.from({ length: ORDERS }, (_, index): [string, OrderRow] => {
  const order = orderOf(roll, index)
  const row = rowOf(order, 0)
  if (order.sellerScriptHex) sellers.push(order.sellerScriptHex)
  // The ends of the range of prices, and times of which many are equal.
  if (index % 50 === 0) row.price = roll.of([UNPRICED, 0n, 1n, 2n ** 32n, UNPRICED - 1n])
  return [order.id, row]
})
const outpointOf = ({ txid, vout }: OrderRow) => outpointText({ txid: toTxid(txid), vout })
const inOrder = [...rows].sort(([a], [b]) => (a < b ? -1 : 1))

const filled = (some: readonly [string, OrderRow][]): QueryIndex => {
  const index = new QueryIndex('regtest')
  for (const [id, row] of some) index.fill(id, row)
  for (const _sort of index.sortFilled());
  return index
}
const put = (some: readonly [string, OrderRow][], index = new QueryIndex('regtest')) => {
  for (const [id, row] of some) index.put(id, row)
  return index
}
const allOf = (index: QueryIndex) =>
  ORDER_SORTS.map((sort) =>
    index.page({ sort, includeWithdrawn: true, limit: ORDERS * 2 }, new Map()),
  )

test('an index filled at once gives the pages of one filled order by order', () => {
  expect(allOf(filled(inOrder))).toEqual(allOf(put(rows)))
})

test('it takes changes of its orders, and further ones', () => {
  const known = inOrder.filter((_, at) => at % 3 !== 0)
  const changed = rows.map(([id, row], at): [string, OrderRow] => {
    const other = rows[(at * 7) % ORDERS]?.[1] ?? row
    return [id, at % 2 === 0 ? row : other]
  })
  expect(allOf(put(changed, filled(known)))).toEqual(allOf(put(changed)))
})

test('an empty one can be filled with nothing', () => {
  expect(allOf(put(rows.slice(0, 9), filled([])))).toEqual(allOf(put(rows.slice(0, 9))))
})

test('it is filled only in the order of the ids', () => {
  expect(() => filled([...inOrder].reverse())).toThrow('is not in the order of ids')
})

test('one that takes the parts of another gives the same pages and finds the same, also after further changes', () => {
  const known = inOrder.filter((_, at) => at % 7 !== 0)
  const later = rows.map(([id, row], at): [string, OrderRow] => [
    id,
    at % 3 === 0 ? (rows[(at * 5) % ORDERS]?.[1] ?? row) : row,
  ])
  const original = put(inOrder.slice(0, 300), filled(known))
  const copy = new QueryIndex('regtest')
  copy.take(structuredClone(new Map(original.parts() ?? [])))
  expect(allOf(copy)).toEqual(allOf(original))
  for (const [id, row] of later) {
    original.put(id, row)
    copy.put(id, row)
  }
  expect(allOf(copy)).toEqual(allOf(original))
  const lists = [
    { search: 'punk' },
    { token: 'ordi' },
    ...rows.slice(0, 200).map(([, row]) => ({ outpoint: outpointOf(row) })),
    ...rows.flatMap(([, row]) => row.funding.map((funding) => ({ funding }))).slice(0, 200),
    ...sellers.slice(0, 20).map((sellerScriptHex) => ({ sellerScriptHex })),
  ]
  for (const list of lists) {
    const query = { ...list, sort: 'newest', includeWithdrawn: true, limit: 50 } as const
    expect(copy.page(query, new Map())).toEqual(original.page(query, new Map()))
  }
  const whole = { filters: { includeWithdrawn: true }, moment: { now: 0, maxAgeSeconds: 600 } }
  expect(copy.counts(whole, new Map())).toEqual(original.counts(whole, new Map()))
})

test('it is not kept once a quarter of its orders came after it was filled', () => {
  expect(filled(inOrder).parts()).not.toBeNull()
  expect(put(inOrder.slice(2_000), filled(inOrder.slice(0, 2_000))).parts()).toBeNull()
})

test('what is kept is of this version: PARTS_VERSION is raised with any change of it', () => {
  const parts = [...(filled(inOrder).parts() ?? [])].map(
    ([name, value]) => `${name} ${(value as object).constructor.name}`,
  )
  expect([PARTS_VERSION, ...parts]).toMatchInlineSnapshot(`
    [
      4,
      "size Number",
      "seq Uint32Array",
      "state Uint8Array",
      "safety Uint8Array",
      "orderClass Uint8Array",
      "signature Uint8Array",
      "side Uint8Array",
      "sources Uint8Array",
      "hidden Uint8Array",
      "createdAt Float64Array",
      "verifiedAt Float64Array",
      "updatedAt Float64Array",
      "price BigUint64Array",
      "vout Uint32Array",
      "partition Uint16Array",
      "heldEpoch Float64Array",
      "heldN Float64Array",
      "protocol Uint32Array",
      "market Uint32Array",
      "token Uint32Array",
      "seller Uint32Array",
      "hasAsset Uint8Array",
      "provedAsset Uint8Array",
      "inscriptionIndex Uint32Array",
      "inscriptionNumber Int32Array",
      "hasSpender Uint8Array",
      "id Uint32Array",
      "txid Uint32Array",
      "inscriptionTxid Uint32Array",
      "spender Uint32Array",
      "protocols Array",
      "tokens Array",
      "sellers Array",
      "oddAssets Map",
      "others Uint32Array",
      "outputs Object",
      "funding Object",
      "prefixes Object",
      "newest Uint32Array",
      "oldest Uint32Array",
      "price_asc Uint32Array",
      "price_desc Uint32Array",
      "token_asc Uint32Array",
      "protocol_asc Uint32Array",
      "validation_newest Uint32Array",
    ]
  `)
})

test('the orders of an output are found in it, in every sort and page by page', () => {
  // Of one transaction all, and of every fifth output three orders.
  const ALL_OF = 'ab'.repeat(32)
  const outputOf = (vout: number) => outpointText({ txid: toTxid(ALL_OF), vout })
  const NO_PROGRESS = new Map()
  const offers = rows.map(([id, row], at): [string, OrderRow] => {
    const vout = at % 5 === 0 ? at % 1_000 : at
    return [id, { ...row, txid: ALL_OF, vout }]
  })
  const sorted = [...offers].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const index of [put(offers), filled(sorted), put(offers.slice(9), filled(sorted))]) {
    for (const outpoint of [5, 995, 2_999, 77].map(outputOf)) {
      const wanted = offers.filter(([, row]) => outpointOf(row) === outpoint).map(([id]) => id)
      for (const sort of ORDER_SORTS) {
        const query = { sort, includeWithdrawn: true, hidden: 'either', outpoint } as const
        const whole = index.page({ ...query, limit: 10 }, NO_PROGRESS)
        expect(whole.found.map(({ position }) => position.id).sort()).toEqual(wanted.sort())
        expect([whole.total, whole.next]).toEqual([wanted.length, null])
        const ids: string[] = []
        let page = index.page({ ...query, limit: 1 }, NO_PROGRESS)
        ids.push(...page.found.map(({ position }) => position.id))
        while (page.next) {
          page = index.page({ ...query, limit: 1, after: page.next }, NO_PROGRESS)
          ids.push(...page.found.map(({ position }) => position.id))
        }
        expect(ids).toEqual(whole.found.map(({ position }) => position.id))
      }
    }
    const nowhere = { sort: 'newest', includeWithdrawn: true, limit: 9 } as const
    expect(index.page({ ...nowhere, outpoint: outputOf(4_294_967_295) }, NO_PROGRESS).total).toBe(0)
    expect(
      index.page(
        { ...nowhere, outpoint: outpointText({ txid: toTxid('cd'.repeat(32)), vout: 5 }) },
        NO_PROGRESS,
      ).total,
    ).toBe(0)
  }
})

test('an inscription is no other whose index differs by 2^32: lists and counts find what streams have', () => {
  const some = dice(11)
  const reveal = 'ef'.repeat(32)
  const ids = ['0', '4294967295', '4294967296', '9999999999'].map((index) => `${reveal}i${index}`)
  const orders = ids.map((inscriptionId, at) => {
    const order = orderOf(some, at)
    const [txid = '', vout] = order.outpoint.split(':')
    const asset = { inscriptionId, outpoint: { txid: toTxid(txid), vout: Number(vout) } }
    return { ...order, assets: [asset] }
  })
  const index = put(orders.map((order) => [order.id, rowOf(order, 0)]))
  const moment = { now: 0, maxAgeSeconds: 600 }
  for (const id of [...ids, `${reveal}i1410065407`]) {
    const wanted = { includeWithdrawn: true, assetInscriptionId: id }
    const expected = orders.filter((order) => isListed(order, wanted)).map((order) => order.id)
    const page = index.page({ ...wanted, sort: 'newest', limit: 9 }, new Map())
    expect(page.found.map(({ position }) => position.id)).toEqual(expected)
    expect(index.counts({ filters: wanted, moment }, new Map()).total).toBe(expected.length)
    const search = { includeWithdrawn: true, search: id }
    const found = orders.filter((order) => isListed(order, search)).length
    expect(index.page({ ...search, sort: 'newest', limit: 9 }, new Map()).total).toBe(found)
  }
})

test('what an order only claims is found by the claim, and not as proved, until the index finds it', () => {
  const some = dice(12)
  const inscriptionId = `${'ef'.repeat(32)}i0`
  const place = (outpoint: string) => {
    const [txid = '', vout] = outpoint.split(':')
    return { txid: toTxid(txid), vout: Number(vout) }
  }
  const bare = Array.from({ length: 4 }, (_, at) => orderOf(some, at))
  const claiming = bare.map((order, at) => {
    const outpoint = at % 2 === 0 ? place(order.outpoint) : place(`${'ab'.repeat(32)}:7`)
    const source = { ...order.kept.source, claimedAsset: { inscriptionId, outpoint } }
    return { ...order, state: 'SPENT' as const, assets: [], kept: { ...order.kept, source } }
  })
  const proved = claiming.map((order) => ({
    ...order,
    assets: [{ inscriptionId, outpoint: place(order.outpoint) }],
  }))
  const index = put(claiming.map((order) => [order.id, rowOf(order, 0)]))
  const found = (filters: object) =>
    index.page(
      { includeWithdrawn: true, hidden: 'either', ...filters, sort: 'newest', limit: 9 },
      new Map(),
    ).total
  expect(found({ assetInscriptionId: inscriptionId })).toBe(4)
  expect(found({ provedInscriptionId: inscriptionId })).toBe(0)
  for (const [at, order] of proved.entries()) {
    index.put(order.id, rowOf({ ...order, seq: order.seq + 1 }, 0))
    expect(found({ provedInscriptionId: inscriptionId })).toBe(at + 1)
  }
  expect(found({ assetInscriptionId: inscriptionId })).toBe(4)
  expect(found({ search: inscriptionId })).toBe(4)
})

test('a list that was read before has every order that was added or changed since', () => {
  const lists = [
    { includeWithdrawn: false },
    { includeWithdrawn: true, state: 'LIVE' as const },
    { includeWithdrawn: true, search: 'punk' },
    { includeWithdrawn: true, token: 'ordi', side: 'BID' as const },
    ...sellers.slice(0, 5).map((sellerScriptHex) => ({ includeWithdrawn: true, sellerScriptHex })),
  ]
  const pagesOf = (index: QueryIndex) =>
    lists.flatMap((list) =>
      ORDER_SORTS.map((sort) => index.page({ ...list, sort, limit: 50 }, new Map())),
    )
  const known = inOrder.slice(0, 2_000)
  const read = filled(known)
  for (const [at, [id, row]] of inOrder.slice(2_000, 2_040).entries()) {
    pagesOf(read)
    // Another order changes to match this one, so that it is listed too.
    known[at * 7] = [known[at * 7]?.[0] ?? id, row]
    known.push([id, row])
    put([known[at * 7] ?? [id, row], [id, row]], read)
  }
  expect(pagesOf(read)).toEqual(pagesOf(put(known)))
})
