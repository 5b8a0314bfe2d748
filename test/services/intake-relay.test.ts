import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { NostrEvent } from '../../src/schemas/wire/nostr.ts'
import { type OpenIntake, openIntake, ordersFrom } from '../support/market/intake.ts'
import { saleEvent } from '../support/orders/sale-event.ts'
import { waitUntil } from '../support/services/programs.ts'
import { openTestRelay, type TestRelay } from '../support/services/relay.ts'
import {
  type Ask,
  type AskSpec,
  openServiceBook,
  type ServiceBook,
} from '../support/services/service-book.ts'

const SOURCE = 'portable-nostr802'

let book: ServiceBook
let relays: [TestRelay, TestRelay]
beforeAll(async () => {
  book = await openServiceBook({ payments: 60 })
  relays = [await openTestRelay(), await openTestRelay()]
})
afterAll(async () => {
  for (const relay of relays ?? []) await relay.stop()
  await book?.close()
})

let intake: OpenIntake | null = null
const close = async () => {
  await intake?.close()
  intake = null
}
afterEach(close)
async function follow(): Promise<OpenIntake> {
  intake = await openIntake(book.market, { NOSTR_RELAYS: relays.map(({ url }) => url).join() })
  return intake
}

interface Published {
  ask: Ask
  event: NostrEvent
}

/** A sale event for a confirmed output, not published yet. */
async function newSale(spec?: AskSpec): Promise<Published> {
  const ask = await book.ask(spec)
  const { txid, vout } = ask.outpoint
  const tags = [
    ['n', 'regtest'],
    ['t', 'sell'],
    ['u', `${txid}:${vout}`],
    ['s', ask.payout.valueSats],
  ]
  const createdAt = Math.floor(Date.now() / 1_000)
  return { ask, event: saleEvent(ask.psbt, tags, { createdAt }) }
}

const isOf =
  ({ event }: Published) =>
  ({ sources }: OrderSummary): boolean =>
    sources.some(({ eventId }) => eventId === event.id)

/** The order of an event, once it is in the book. */
async function orderOf(sale: Published): Promise<OrderSummary> {
  let found: OrderSummary | undefined
  await waitUntil('the event is an order', async () => {
    found = (await ordersFrom(book.market, SOURCE, 0)).find(isOf(sale))
    return found !== undefined
  })
  if (!found) throw new Error('unreachable')
  return book.market.orderUntil(found.id, ({ state }) => state !== 'PENDING_NODE')
}

describe('an event on relays, over a real node and index', () => {
  test.each<[string, AskSpec]>([
    ['taproot', { script: 'p2tr' }],
    ['P2WPKH', { script: 'p2wpkh' }],
    ['a multisig', { script: 'p2wsh-multisig' }],
  ])(
    'of %s is one LIVE order, though two relays have it, and it can be bought',
    async (_, spec) => {
      const { counted } = await follow()
      const sale = await newSale(spec)
      for (const relay of relays) await relay.publish(sale.event)
      const order = await orderOf(sale)
      expect(order).toMatchObject({
        state: 'LIVE',
        actionability: 'HANDOFF_READY',
        quotedPriceSats: sale.ask.payout.valueSats,
        sources: [{ source: SOURCE, eventId: sale.event.id, signatureVerified: true }],
      })
      expect(order.sources).toHaveLength(1)
      expect(await counted('imported')).toBe(1)
      await book.chain.submit(await book.purchase(sale.ask))
      await book.mine()
      await book.market.orderUntil(order.id, ({ state }) => state === 'SETTLED')
    },
  )

  test('for an output that was spent before no longer proves anything, and is not an order', async () => {
    const { counted } = await follow()
    const sale = await newSale()
    await book.chain.submit(await book.purchase(sale.ask))
    await book.mine()
    await relays[0].publish(sale.event)
    await waitUntil('it was examined', async () => (await counted('spent_output')) === 1)
    expect((await ordersFrom(book.market, SOURCE, 0)).some(isOf(sale))).toBe(false)
  })

  test('published while the service is down is an order when it is back; none is imported twice', async () => {
    const before = await follow()
    await before.following()
    const known = await newSale()
    await relays[0].publish(known.event)
    await orderOf(known)
    const imported = await before.counted('imported')
    expect(imported).toBeGreaterThan(0)
    await close()
    const missed = await newSale()
    await book.restartMarket(() => relays[1].publish(missed.event))
    const after = await follow()
    expect((await orderOf(missed)).state).toBe('LIVE')
    await after.following()
    expect(await after.counted('imported')).toBe(1)
    expect((await orderOf(known)).sources).toHaveLength(1)
  })

  test('reaches the book while one relay is down, and the relay is followed again when it is back', async () => {
    const { states, following } = await follow()
    await following()
    const [gone, there] = relays
    await gone.stop()
    await waitUntil('it is missed', () => states().get(gone.url)?.state === 'paused')
    const sale = await newSale()
    await there.publish(sale.event)
    expect((await orderOf(sale)).state).toBe('LIVE')
    await gone.start()
    await following()
    const late = await newSale()
    await gone.publish(late.event)
    expect((await orderOf(late)).state).toBe('LIVE')
  })

  test('while the node is unavailable waits for it, and is LIVE when it is back', async () => {
    const { states } = await follow()
    const sale = await newSale()
    await book.chain.core.stop()
    await relays[0].publish(sale.event)
    await waitUntil('the feed waits for the node', () => {
      const state = states().get(relays[0].url)
      return state?.state === 'paused' && state.trouble === 'node_away'
    })
    expect((await ordersFrom(book.market, SOURCE, 0)).some(isOf(sale))).toBe(false)
    await book.chain.core.start()
    await book.followed()
    const { id } = await orderOf(sale)
    await book.market.orderUntil(id, ({ state }) => state === 'LIVE')
  })
})

test('every invariant holds on what was stored', async () => {
  expect(await book.audit()).toEqual([])
})
