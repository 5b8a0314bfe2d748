import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memberAt, positionAt } from '../../../../src/adapters/redis/order-index/sort-members.ts'
import { ORDER_SORTS, SORTS, type SortedFacet } from '../../../../src/domain/listing/sorts.ts'

const time = fc
  .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString())
const VALUES: Record<SortedFacet, fc.Arbitrary<string | null>> = {
  createdAt: time,
  verifiedAt: fc.option(time),
  price: fc.option(fc.bigInt({ min: 0n, max: 21n * 10n ** 14n }).map(String)),
  token: fc.option(fc.string({ unit: 'grapheme' })),
  protocol: fc.option(fc.string({ unit: 'grapheme' })),
}
const id = fc.stringMatching(/^[0-9a-f]{64}$/)

test.each(ORDER_SORTS)('%s: a member says its position', (sort) => {
  const position = fc.record({ value: VALUES[SORTS[sort].by], id })
  fc.assert(
    fc.property(position, (one) => {
      expect(positionAt(sort, memberAt(sort, one))).toEqual(one)
    }),
  )
})
