import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { RELAY_LIMITS, TRUSTED_RELAY_LIMITS } from '../../src/adapters/nostr/relay-feed.ts'
import { OFFERS_LIMITS } from '../../src/adapters/ord/offers-feed.ts'
import { FEED_TROUBLES } from '../../src/ports/feeds/order-feed.ts'
import { EXAMINED_AT_ONCE, TRUSTED_EXAMINED_AT_ONCE } from '../../src/roles/parts/feed-examiner.ts'
import { INTAKE_RATE, OFFERS_QUEUE_SIZE, ORDER_RATE } from '../../src/roles/parts/intake.ts'
import {
  FEED_LIMITS,
  TRUSTED_FEED_LIMITS,
  TRUSTED_RATE,
} from '../../src/streams/feeds/follow-feed.ts'

const number = (value: number) => value.toLocaleString('en')

test('the page of the feeds has the limits in force', async () => {
  const page = (await readFile('docs/intake.md', 'utf8')).replaceAll(/\s+/g, ' ')
  const { rate, maxFrameBytes, maxFrameCharacters, pauseAt } = RELAY_LIMITS
  const { queue, maxRun } = FEED_LIMITS
  const { maxReadBytes, maxBodyBytes, maxOffers, maxOffer, timeoutMs, repeatMs } = OFFERS_LIMITS
  for (const told of [
    `${FEED_LIMITS.rate.perSecond} a second for each relay of \`NOSTR_RELAYS\`, ${INTAKE_RATE.perSecond} for all`,
    `room for ${FEED_LIMITS.rate.burst} and ${INTAKE_RATE.burst} at once`,
    `${maxFrameBytes / 2 ** 20} MiB ends the connection`,
    `above ${number(maxFrameCharacters)} characters`,
    `${rate.perSecond} messages a second after the first ${number(rate.burst)}`,
    `${pauseAt.messages} may wait`,
    `${number(maxRun)} without a break`,
    `${EXAMINED_AT_ONCE} are in progress`,
    `a publisher there: ${queue.rate.burst}, then ${queue.rate.perSecond} a second`,
    `${queue.maxSize / 2 ** 20} MiB of PSBTs a relay`,
    `more than ${queue.share} waiting`,
    `${ORDER_RATE.burst} imports of one order, then one a minute`,
    `the list of offers: ${maxReadBytes / 2 ** 20} MiB, ${timeoutMs / 1_000} s`,
    `the newest ${number(maxOffers)} offers within the last ${maxBodyBytes / 2 ** 20} MiB`,
    `an unchanged one counts as repeated every ${repeatMs / 60_000} minutes`,
    `an offer: ${number(maxOffer)} characters`,
    `(${TRUSTED_RELAY_LIMITS.rate.perSecond} of a trusted relay)`,
    `${TRUSTED_RATE.perSecond} items a second, each and all of them together, ${TRUSTED_EXAMINED_AT_ONCE} in progress`,
    `at ${TRUSTED_FEED_LIMITS.queue.maxSize / 2 ** 20} MiB (${OFFERS_QUEUE_SIZE / 2 ** 20} MiB of offers) the feed is read more slowly`,
  ]) {
    expect(page).toContain(told)
  }
})

test('the page of the feeds explains every fault', async () => {
  const page = await readFile('docs/intake.md', 'utf8')
  const rows = Object.entries(FEED_TROUBLES).map(
    ([trouble, means]) => `| \`${trouble}\` | ${means} |`,
  )
  expect(page.split('\n').filter((line) => rows.includes(line))).toEqual(rows)
})
