import { expect, test } from 'vitest'
import { csvOf } from '../../console/src/market/csv.ts'

test('rows are CSV under the names of their columns', () => {
  const rows = [
    { token: 'a "b", c', price_sats: '5000', change: '-5', ids: ['x', 'y'], sold: true },
    { token: null, price_sats: '0', change: null, ids: [], sold: false },
  ]
  expect(csvOf(rows)).toBe(
    'token,price_sats,change,ids,sold\r\n"a ""b"", c",5000,-5,x y,true\r\n,0,,,false\r\n',
  )
  expect(csvOf([])).toBe('\r\n')
})

test.each(['=1+1', '+cmd', '@SUM(A1)', '-2+3', '\tx'])('a token %j is no formula', (token) => {
  expect(csvOf([{ token }]).split('\r\n')[1]?.replaceAll('"', '')).toBe(`'${token}`)
})

test.each(['-5', '-0.5', '5'])('%s stays a number', (net) => {
  expect(csvOf([{ net }])).toBe(`net\r\n${net}\r\n`)
})
