import { expect, test } from 'vitest'
import { laneOfList } from '../../../src/http/routes/context.ts'
import { LANES } from '../../../src/runtime/lanes.ts'
import { ListOrdersQuery } from '../../../src/schemas/api/api.ts'

test.each([
  ['the book', {}, LANES.first],
  ['a market, the cheapest first', { group: 'ordinals', sort: 'price_asc' }, LANES.first],
  ['an inscription', { assetInscriptionId: `${'ab'.repeat(32)}i0` }, LANES.first],
  ['what can be done now', { actionability: 'REVIEW_ONLY' }, LANES.later],
  ['prices', { priceMin: '1234' }, LANES.later],
  ['a seller', { seller: '0014' }, LANES.later],
  ['a search', { search: 'ab' }, LANES.later],
  ['a large page', { limit: '200' }, LANES.later],
])('a page of %s', (_, query, lane) => {
  expect(laneOfList(ListOrdersQuery.parse(query))).toBe(lane)
})
