import { expect, test } from 'vitest'
import {
  byFeerate,
  feerateChunks,
  improves,
  type Weighed,
} from '../../../src/devnet/node/feerate-diagram.ts'
import { toTxid } from '../../support/ids.ts'

const tx = (txid: string, feeSats: bigint, vsize: number, ...parents: string[]): Weighed => ({
  txid: toTxid(txid),
  feeSats,
  vsize,
  parents,
})

const namesOf = (txs: readonly Weighed[]) =>
  feerateChunks(txs).map((chunk) => chunk.txs.map(({ txid }) => txid).join('+'))

const improvement = (next: readonly Weighed[], before: readonly Weighed[]) =>
  improves(feerateChunks(next).sort(byFeerate), feerateChunks(before).sort(byFeerate))

test('a child that pays for its parent is mined with it, one that does not comes later', () => {
  const parent = tx('parent', 100n, 100)
  expect(namesOf([parent, tx('rich', 900n, 100, 'parent')])).toEqual(['parent+rich'])
  expect(namesOf([parent, tx('poor', 50n, 100, 'parent')])).toEqual(['parent', 'poor'])
  const grandchild = tx('grandchild', 9_000n, 100, 'rich')
  expect(namesOf([grandchild, parent, tx('rich', 90n, 100, 'parent')])).toEqual([
    'parent+rich+grandchild',
  ])
})

test('chunks fall in feerate: a later one that pays more is merged into the one before', () => {
  const txs = [
    tx('a', 10n, 100),
    tx('b', 300n, 100, 'a'),
    tx('c', 400n, 100, 'a'),
    tx('d', 20n, 100),
  ]
  const rates = feerateChunks(txs).map(({ feeSats, vsize }) => Number(feeSats) / vsize)
  expect(rates).toEqual([...rates].sort((x, y) => y - x))
  expect(feerateChunks(txs).flatMap((chunk) => chunk.txs)).toHaveLength(4)
})

test('a replacement must be better somewhere and worse nowhere', () => {
  const old = tx('old', 1_000n, 100)
  expect(improvement([tx('new', 1_200n, 100)], [old])).toBe(true)
  expect(improvement([tx('new', 1_000n, 100)], [old])).toBe(false)
  expect(improvement([tx('large', 1_500n, 300)], [old])).toBe(false)
  expect(improvement([tx('small', 1_000n, 80)], [old])).toBe(true)
  expect(improvement([tx('new', 1_200n, 100)], [old, tx('child', 900n, 100, 'old')])).toBe(false)
})
