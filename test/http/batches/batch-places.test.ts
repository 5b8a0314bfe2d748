import { expect, test } from 'vitest'
import { BatchPlaces } from '../../../src/http/batches/batch-places.ts'

test('a customer has so many batches at a time, and all together; each place is given back once', () => {
  const places = new BatchPlaces({ perCustomer: 2, inAll: 3 })
  const codeOf = (customer: string) => {
    try {
      places.take(customer)
      return null
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  const leave = places.take('one')
  places.take('one')
  expect(codeOf('one')).toBe('MARKET_RATE_LIMITED')
  places.take('other')
  expect(codeOf('third')).toBe('OVERLOADED')
  leave()
  leave()
  expect([codeOf('third'), codeOf('other')]).toEqual([null, 'OVERLOADED'])
})
