import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  idAt,
  placeOfId,
  signedPlace,
  streamQuery,
} from '../../../src/gateway/streaming/stream-query.ts'
import { TEST_CURSORS } from '../../support/http/test-cursors.ts'

type PlacedGateway = Parameters<typeof placeOfId>[0]

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 500)
/** Beside an id, a query has room for filters. */
const MAX_ID_LENGTH = 6_000
const ids = [
  '0a1b2c3d-0000-4000-8000-000000000000',
  '0a1b2c3e-0000-4000-8000-000000000000',
] as const

const settings = { maxVerificationAgeSeconds: 600, network: 'regtest' } as const
const query = streamQuery({ settings } as Parameters<typeof streamQuery>[0], {
  includeWithdrawn: true,
})
const gatewayOf = (partitions: number, id: string = ids[0]) =>
  ({ cursors: TEST_CURSORS, log: { id, partitions } }) as PlacedGateway
const idOf = (place: readonly number[]) => idAt(query, signedPlace(gatewayOf(place.length), place))
const resumed = (id: string, gateway: PlacedGateway) => placeOfId(gateway, query, id)
/** Offsets of partitions that have about as many records, near to `offset`. */
const evenly = (partitions: number, offset: number) =>
  Array.from(
    { length: partitions },
    (_, n) => offset - ((n * 7_919) % Math.ceil((offset + 1) / 10)),
  )

describe('the id of an event is a place to resume from', () => {
  test.each([
    [1, 0],
    [16, 999_999_999],
    [64, 99_999_999_999],
    [96, 1_234_567],
    [128, 12_345],
    [1_024, 0],
    [1_024, 999_999_999],
    [1_024, 99_999_999_999],
  ])('of %i partitions at offset %i', (partitions, offset) => {
    const place = evenly(partitions, offset)
    const id = idOf(place)
    expect(resumed(id, gatewayOf(partitions))).toEqual(place)
    expect(id.length).toBeLessThan(MAX_ID_LENGTH)
  })

  test('of any partitions, at any offsets', () => {
    const offset = fc.oneof(fc.nat(9), fc.nat(), fc.nat(2 ** 32))
    const places = fc.array(offset, { minLength: 1, maxLength: 1_024, size: 'max' })
    fc.assert(
      fc.property(places, (place) => {
        expect(resumed(idOf(place), gatewayOf(place.length))).toEqual(place)
      }),
      { numRuns: RUNS },
    )
  })

  test.each([2, 1_024])('of %i partitions, not of another log, or of other partitions', (many) => {
    const id = idOf(evenly(many, 1_000))
    expect(resumed(id, gatewayOf(many, ids[1]))).toBeNull()
    expect(resumed(id, gatewayOf(many + 1))).toBeNull()
  })
})

test('a place that a cursor has room for is written as 0.9 reads it', () => {
  const place = evenly(64, 9_999_999_999)
  const [, signed = ''] = idOf(place).split('.')
  const Listed = z.tuple([z.string()], z.int())
  expect(TEST_CURSORS.decode('stream places', signed, Listed)).toEqual([
    ids[0].slice(0, 8),
    ...place,
  ])
})

test('an id of a kind that no service issues is refused before it is read', () => {
  const refused = expect.objectContaining({ code: 'INVALID_CURSOR' })
  for (const id of ['', 'x', `${query.tag}.`, `${query.tag}.${'A'.repeat(100_000)}`])
    expect(() => resumed(id, gatewayOf(2))).toThrow(refused)
})
