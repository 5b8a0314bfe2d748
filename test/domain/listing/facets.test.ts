import { expect, test } from 'vitest'
import { facetsOf, sellerAddress } from '../../../src/domain/listing/facets.ts'
import { ORDER_SORTS, SORTS } from '../../../src/domain/listing/sorts.ts'
import { ListOrdersQuery } from '../../../src/schemas/api/api.ts'
import { dice, orderOf } from '../../support/orders/order-book.ts'

const order = orderOf(dice(1), 0)

test('the sorts are those of the contract, in its order', () => {
  expect(ORDER_SORTS).toEqual(ListOrdersQuery.shape.sort.unwrap().options)
})

test('a token is compared without case; what is absent is null', () => {
  const { quotedPriceSats, side, ...bare } = { ...order, token: 'Rare ÉTÉ' }
  expect([quotedPriceSats, side]).not.toContain(undefined)
  const facets = facetsOf(bare)
  expect(facets).toMatchObject({ token: 'rare été', side: null, isHidden: false })
  expect(facets[SORTS.price_desc.by]).toBeNull()
})

test('a seller has the address of the script, on its network; an odd script has none', () => {
  const script = `0014${'11'.repeat(20)}`
  expect(sellerAddress(script, 'regtest')).toMatch(/^bcrt1q/)
  expect(sellerAddress(script, 'mainnet')).toMatch(/^bc1q/)
  expect(sellerAddress('51', 'mainnet')).toBeNull()
  expect(sellerAddress('51', 'mainnet')).toBeNull()
})
