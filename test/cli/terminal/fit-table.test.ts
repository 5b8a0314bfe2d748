import { expect, test } from 'vitest'
import { fittedTable, wholeTable } from '../../../src/cli/terminal/fit-table.ts'
import type { StatisticRow } from '../../../src/ports/views/statistics.ts'

const ID = '2403c9c4a04b269a41b5ce652dcf8b6ab65bf977b56c1addb7b836f8612dfc06'
const ADDRESS = 'bcrt1qyk3u3hknxpw5cfrwnfc7qded4adtxrq96jdxsr'
const SALE: StatisticRow = {
  order_id: ID,
  sold_at: '2026-01-07T08:34:24.108Z',
  block_height: 900_915,
  token: null,
  seller_script_hex: '0014aa',
  inscription_ids: [`${ID}i0`, `${ID}i1`],
  gross_price_sats: '2100000000000000',
  seller_address: ADDRESS,
}

test('all columns as they are, where the table is piped', () => {
  const { lines, left } = wholeTable([SALE])
  expect(lines[0]).toMatch(/^order_id +sold_at +block_height +token +seller_script_hex +inscr/)
  expect(lines[1]).toBe(
    `${ID}  2026-01-07T08:34:24.108Z  900915        -      0014aa             ${ID}i0 ${ID}i1  2100000000000000  ${ADDRESS}`,
  )
  expect(left).toEqual([])
})

test('on a terminal ids are cut in the middle, times are by the minute, and a seller is an address', () => {
  const { lines, left } = fittedTable([SALE], 120)
  expect(lines).toEqual([
    'order_id     sold_at           block_height  token  inscription_ids  gross_price_sats  seller_address',
    '2403c…dfc06  2026-01-07 08:34  900915        -      2403c…c06i1      2100000000000000  bcrt1…jdxsr',
  ])
  expect(left).toEqual([])
})

test('columns without room are named: empty ones and repeated kinds first, the first column never', () => {
  const twice = { ...SALE, settled_at: SALE['sold_at'] ?? null }
  const { lines, left } = fittedTable([twice], 61)
  expect(lines).toEqual([
    'order_id     sold_at           block_height  gross_price_sats',
    '2403c…dfc06  2026-01-07 08:34  900915        2100000000000000',
  ])
  expect(left).toEqual(['token', 'inscription_ids', 'seller_address', 'settled_at'])
  expect(fittedTable([SALE], 45).lines[0]).toBe('order_id     sold_at           block_height')
  expect(fittedTable([SALE], 1).lines).toEqual(['order_id', '2403c…dfc06'])
})

test('nothing is cut where all fits', () => {
  expect(
    fittedTable([{ order_id: ID, seller_script_hex: '6a00', seller_address: null }], 80),
  ).toEqual({
    lines: [`order_id${' '.repeat(56)}  seller_address`, `${ID}  6a00`],
    left: [],
  })
})

test('no rows are said', () => {
  expect(fittedTable([], 80).lines).toEqual(['no rows'])
})
