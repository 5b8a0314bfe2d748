import { expect, test } from 'vitest'
import { QueryIndex } from '../../src/query-index/query-index.ts'
import { type OrderRow, rowOf } from '../../src/query-index/row.ts'
import { dice, orderOf } from '../support/orders/order-book.ts'

const roll = dice(17)
const hex = (digits: number) =>
  Array.from({ length: digits }, () => roll.below(16).toString(16)).join('')
/** Hashes that share their first digits, some of them the first 64 bits, as a stranger could make them. */
const STEMS = ['', 'ab', 'abc', 'abcdef0', 'abcdef012', '0123456789abcdef', 'f'.repeat(20)]
const hash = () => {
  const stem = roll.of(STEMS)
  return stem + hex(64 - stem.length)
}
const sample = rowOf(orderOf(roll, 0), 0)
const txids = Array.from({ length: 40 }, hash)

interface Made {
  id: string
  row: OrderRow
}

const made = (): Made => {
  const asset = roll.chance(0.6) ? [[`${roll.of(txids)}i${roll.below(30)}`, null, 7]] : []
  const assets = asset as unknown as OrderRow['assets']
  return {
    id: hash(),
    row: { ...sample, txid: roll.of(txids), vout: roll.below(9), assets, spender: spender() },
  }
}

/** Nothing spends it, or one of a few transactions. */
const spender = () => (roll.chance(0.5) ? null : roll.of(txids))

const found = (index: QueryIndex, search: string) =>
  index
    .page(
      { search, includeWithdrawn: true, hidden: 'either', sort: 'newest', limit: 2_000 },
      new Map(),
    )
    .found.map(({ position }) => position.id)
    .sort()

/** By the texts themselves. */
const naive = (all: ReadonlyMap<string, OrderRow>, search: string) =>
  [...all]
    .filter(([id, { txid, assets, spender }]) =>
      [id, txid, spender ?? '', ...assets.map(([inscription]) => inscription)].some((one) =>
        one.startsWith(search),
      ),
    )
    .map(([id]) => id)
    .sort()

test('orders are found by any first digits of their id, output, inscription or spender', () => {
  const all = new Map(Array.from({ length: 600 }, made).map(({ id, row }) => [id, row]))
  const inOrder = [...all].sort(([a], [b]) => (a < b ? -1 : 1))
  const filled = new QueryIndex('regtest')
  for (const [id, row] of inOrder.slice(0, 500)) filled.fill(id, row)
  for (const _step of filled.sortFilled());
  for (const [id, row] of inOrder.slice(500)) filled.put(id, row)
  const copy = new QueryIndex('regtest')
  const whole = new QueryIndex('regtest')
  for (const [id, row] of inOrder) whole.fill(id, row)
  for (const _step of whole.sortFilled());
  copy.take(structuredClone(new Map(whole.parts() ?? [])))
  for (let round = 0; round < 3; round += 1) {
    const texts = [...all].slice(0, 60).flatMap(([id, { txid, assets, spender }]) => {
      const [[inscription = ''] = []] = assets
      return [id, txid, inscription, spender ?? ''].map((text) => text.slice(0, 1 + roll.below(66)))
    })
    const searches = [...texts, 'abcdef01', '0123456789abcdef', 'e', `${txids[0]}i`].filter(
      // Letters may also be those of a token or an address.
      (text) => /[a-f0-9]{3}|^e$/.test(text) && text !== '',
    )
    for (const search of searches) {
      const expected = naive(all, search)
      for (const index of [filled, copy])
        expect(found(index, search).filter((id) => expected.includes(id))).toEqual(expected)
    }
    // An order's inscription and its spender may become known, others, or none; its output stays.
    for (const [id, row] of all) {
      if (!roll.chance(0.3)) continue
      const next = { ...row, seq: row.seq + 1, assets: made().row.assets, spender: spender() }
      all.set(id, next)
      for (const index of [filled, copy]) index.put(id, next)
    }
  }
})
