import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  acceptedChallenges,
  challengeAt,
} from '../../../src/domain/purchase/ownership-challenge.ts'
import { OwnershipChallenge } from '../../../src/schemas/api/ownership.ts'
import { toOrderId, toOutpointText } from '../../support/ids.ts'

const terms = {
  origin: 'https://market.example',
  network: 'mainnet',
  orderId: toOrderId('a'.repeat(64)),
  outpoint: toOutpointText(`${'b'.repeat(64)}:1`),
  address: 'bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l',
  windowSeconds: 600,
} as const
const NOON = Date.UTC(2030, 0, 1, 12)

test('the text has one fact a line, and expiresAt is when it stops being accepted', () => {
  const challenge = challengeAt(terms, NOON + 599_999)
  expect(OwnershipChallenge.parse(challenge)).toEqual({
    orderId: terms.orderId,
    address: terms.address,
    windowStart: '2030-01-01T12:00:00.000Z',
    expiresAt: '2030-01-01T12:20:00.000Z',
    message: [
      'service: market',
      'origin: https://market.example',
      'purpose: withdraw this order',
      'network: mainnet',
      `order: ${terms.orderId}`,
      `outpoint: ${terms.outpoint}`,
      `address: ${terms.address}`,
      'windowStart: 2030-01-01T12:00:00.000Z',
      'expiresAt: 2030-01-01T12:20:00.000Z',
    ].join('\n'),
  })
})

test('a challenge is accepted from its window’s start until it expires, and at no other time', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 86_400 }),
      fc.integer({ min: NOON, max: NOON * 2 }),
      fc.integer({ min: -200_000_000, max: 200_000_000 }),
      (windowSeconds, issued, later) => {
        const own = { ...terms, windowSeconds }
        const { message, windowStart, expiresAt } = challengeAt(own, issued)
        const now = issued + later
        const accepted = acceptedChallenges(own, now).some((one) => one.message === message)
        expect(accepted).toBe(Date.parse(windowStart) <= now && now < Date.parse(expiresAt))
      },
    ),
  )
})

test('every term is in the message: a proof for one is not one for another', () => {
  const others = [
    { ...terms, origin: 'https://other.example' },
    { ...terms, network: 'signet' as const },
    { ...terms, orderId: toOrderId('c'.repeat(64)) },
    { ...terms, outpoint: toOutpointText(`${'b'.repeat(64)}:2`) },
    { ...terms, address: 'bc1qother' },
    { ...terms, windowSeconds: 601 },
  ]
  const messages = [terms, ...others].map((one) => challengeAt(one, NOON).message)
  expect(new Set(messages).size).toBe(messages.length)
})
