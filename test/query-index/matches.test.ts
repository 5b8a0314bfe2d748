import { describe, expect, test } from 'vitest'
import type { OrderFilters } from '../../src/domain/listing/filters.ts'
import { QueryIndex } from '../../src/query-index/query-index.ts'
import { codes, type OrderRow, rowOf } from '../../src/query-index/row.ts'
import { dice, orderOf } from '../support/orders/order-book.ts'

const roll = dice(11)
const orders = Array.from({ length: 400 }, (_, index) => orderOf(roll, index))
const rows = orders.map((order): [string, OrderRow] => [order.id, rowOf(order, 0)])

const pageOf = (index: QueryIndex, filters: OrderFilters, limit = 20) =>
  index.page({ ...filters, sort: 'newest', limit }, new Map())

const indexOf = (some: Iterable<[string, OrderRow]>) => {
  const index = new QueryIndex('regtest')
  for (const [id, row] of some) index.put(id, row)
  return index
}

describe('what was found for a list follows the orders that change', () => {
  const ofEach = orders.slice(0, 60).flatMap(({ id, sellerScriptHex, outpoint, assets }) => {
    const [asset] = assets
    return [
      { search: id.slice(0, 3) },
      { search: outpoint.slice(0, 64) },
      { assetOutpoint: outpoint },
      ...(sellerScriptHex ? [{ sellerScriptHex }] : []),
      ...(asset
        ? [
            { search: asset.inscriptionId },
            { search: String(asset.inscriptionNumber ?? 7).slice(0, 2) },
            { assetInscriptionId: asset.inscriptionId },
            { provedInscriptionId: asset.inscriptionId },
          ]
        : []),
    ]
  })
  const shared: OrderFilters[] = [
    {},
    { hidden: 'either' },
    { state: 'LIVE' },
    { states: ['SPENT', 'SETTLED'] },
    { side: 'BID' },
    { signature: 'VALID', safety: 'PUBLIC_RACEABLE' },
    { source: 'direct-import' },
    { token: 'ordi' },
    { protocols: ['bitcoin-runes', 'bitcoin-brc20'] },
    { priceMin: '10', priceMax: '1000000' },
    { updatedSince: new Date(orders[7]?.updatedAt ?? 0).toISOString() },
    { search: 'punk' },
    { search: 'bcrt1q' },
    { search: '-' },
    { search: 'bitcoin-' },
  ].map((filters) => ({ includeWithdrawn: false, ...filters }) as OrderFilters)
  const lists = [
    ...shared,
    ...ofEach.map((filters) => ({ includeWithdrawn: true, ...filters }) as OrderFilters),
  ]

  test.each([
    ['every kind', shared],
    ['places', lists.slice(shared.length, shared.length + 60)],
    ['more places', lists.slice(-60)],
  ])('by filters of %s', (_name, asked) => {
    const random = dice(5)
    const current = new Map<string, OrderRow>()
    const index = new QueryIndex('regtest')
    for (let step = 0; step < 60; step += 1) {
      for (let n = 0; n < 10; n += 1) {
        const [id] = rows[random.below(rows.length)] ?? ['']
        const [, row] = rows[random.below(rows.length)] ?? []
        if (!row) continue
        current.set(id, row)
        index.put(id, row)
      }
      if (step % 4 > 0) continue
      const fresh = indexOf(current)
      for (const filters of asked) expect(pageOf(index, filters)).toEqual(pageOf(fresh, filters))
    }
    expect(asked.filter((filters) => pageOf(index, filters).total > 0).length).toBeGreaterThan(5)
  })
})

describe('a list that is', () => {
  const [, sample] = rows[0] ?? []
  const idOf = (n: number) => n.toString(16).padStart(64, '0')
  const rowIn = (state: 'LIVE' | 'SETTLED'): OrderRow => ({
    ...(sample as OrderRow),
    state: codes.state(state),
  })
  const settled = { state: 'SETTLED', includeWithdrawn: false } as const

  test('few orders becomes many, and few again', () => {
    const current = new Map(
      Array.from({ length: 1_100 }, (_, n): [string, OrderRow] => [idOf(n), rowIn('LIVE')]),
    )
    const index = indexOf(current)
    const moveTo = (state: 'LIVE' | 'SETTLED', from: number, to: number) => {
      for (let n = from; n < to; n += 1) {
        current.set(idOf(n), rowIn(state))
        index.put(idOf(n), rowIn(state))
      }
      expect(pageOf(index, settled, 600)).toEqual(pageOf(indexOf(current), settled, 600))
      return pageOf(index, settled).total
    }
    const totals = [
      moveTo('SETTLED', 0, 499),
      moveTo('SETTLED', 499, 501),
      moveTo('SETTLED', 501, 700),
      moveTo('LIVE', 100, 299),
      moveTo('LIVE', 299, 301),
      moveTo('LIVE', 301, 690),
      moveTo('SETTLED', 100, 150),
    ]
    expect(totals).toEqual([499, 501, 700, 501, 499, 110, 160])
  })

  test('asked for all the while holds every order that is added', () => {
    const index = new QueryIndex('regtest')
    for (let n = 0; n < 9_000; n += 1) {
      index.put(idOf(n), rowIn('SETTLED'))
      if (n % 500 === 0) expect(pageOf(index, settled).total).toBe(n + 1)
    }
    expect(pageOf(index, settled).total).toBe(9_000)
  })

  test('not asked for long is found again', () => {
    const index = indexOf(rows)
    const before = pageOf(index, settled).total
    for (let n = 0; n < 10_500; n += 1) index.put(idOf(n), rowIn('SETTLED'))
    expect(pageOf(index, settled).total).toBe(before + 10_500)
  })
})

test('a list that was found before the columns grow has the orders that come after', () => {
  const many = Array.from({ length: 1_200 }, (_, at) => orderOf(roll, at + orders.length))
  const asked: OrderFilters[] = ['token', 'search'].map((name) => ({
    includeWithdrawn: true,
    hidden: 'either',
    [name]: 'ordi',
  }))
  asked.push({ includeWithdrawn: true, hidden: 'either', protocols: ['bitcoin-runes'] })
  const followed = indexOf([])
  for (const filters of asked) pageOf(followed, filters)
  const ofAll = many.map((order): [string, OrderRow] => [order.id, rowOf(order, 0)])
  for (const [id, row] of ofAll) followed.put(id, row)
  for (const filters of asked)
    expect(pageOf(followed, filters).total).toBe(pageOf(indexOf(ofAll), filters).total)
})
