import { expect, test } from 'vitest'
import { limitTroubles } from '../support/abuse/limit-of-one.ts'

// What the abuse suite demands of an attack that one client's limit is to stop.

test.each([
  ['reaches its limit', { 200: 60, 429: 80 }, 2_000, []],
  ['loses some of it to other failures', { 200: 57, 404: 3, 429: 80 }, 2_000, []],
  ['goes on for a second minute', { 200: 120, 429: 80 }, 61_000, []],
  ['is starved', { 503: 140 }, 2_000, ['none was answered', 'none was refused']],
  ['sends nothing', {}, 2_000, ['none was answered', 'none was refused']],
  ['is refused from the first', { 429: 140 }, 2_000, ['none was answered']],
  ['never reaches its limit', { 200: 40 }, 2_000, ['none was refused']],
  ['gets more than its limit', { 200: 61, 429: 79 }, 2_000, ['61 were answered, of 60']],
  ['gets more than two', { 200: 121, 429: 19 }, 61_000, ['121 were answered, of 120']],
])('an attack of one client that %s', (_, statuses, ms, troubles) => {
  const found = limitTroubles({ statuses, ms }, 60)
  expect(found).toEqual(troubles.map((text) => expect.stringContaining(text)))
})
