import { describe, expect, test } from 'vitest'
import { importFromFeed } from '../../src/gateway/import-from-feed.ts'
import type { NostrEvent } from '../../src/schemas/nostr.ts'
import type { Telling } from '../../src/streams/take-once.ts'
import { MemoryLog } from '../support/memory-log.ts'
import { DEFAULT_PREVOUT, makeAsk, makeBid } from '../support/psbt-orders.ts'
import { saleEvent } from '../support/sale-event.ts'
import { systemClock } from '../support/system-clock.ts'

const event = (told: NostrEvent): Telling => ({ kind: 'event', id: told.id, event: told })
const offer = (psbt: string): Telling => ({ kind: 'offer', id: 'a', psbt })
const GOOD = { outcome: 'imported', isLie: false, isSettled: true }

async function told(item: Telling, log = new MemoryLog()) {
  const faults: unknown[] = []
  const claimant = {
    log,
    clock: systemClock,
    newRequestId: () => 'request',
    settings: { network: 'regtest' as const },
  }
  const judged = await importFromFeed(claimant, item, (fault) => faults.push(fault))
  return { judged, faults, records: log.records }
}

describe('what a feed tells is imported by the log alone', () => {
  test('an event as its signer says it', async () => {
    const sale = saleEvent(makeAsk().psbt, [
      ['s', '777'],
      ['i', `${'ab'.repeat(32)}i0`],
    ])
    const { judged, records } = await told(event(sale))
    expect(judged).toEqual(GOOD)
    expect(records).toMatchObject([
      {
        topic: 'orders.inbox',
        key: `${DEFAULT_PREVOUT.txid}:0`,
        value: {
          kind: 'command',
          command: 'import',
          requestId: 'request',
          outpoint: `${DEFAULT_PREVOUT.txid}:0`,
          claim: {
            source: {
              source: 'portable-nostr802',
              sourceId: sale.id,
              eventId: sale.id,
              eventPubkey: sale.pubkey,
              signatureVerified: true,
              claimedPriceSats: '777',
            },
          },
        },
      },
    ])
  })

  test.each([
    ['a bid', makeBid().psbt, 'BID'],
    ['an ask', makeAsk().psbt, 'ASK'],
  ])('an offer that is %s, without any claim', async (_name, psbt, side) => {
    const { judged, records } = await told(offer(psbt))
    expect(judged).toEqual(GOOD)
    expect(records).toMatchObject([{ value: { claim: { offer: { side }, notes: [] } } }])
    const [{ value } = { value: null }] = records
    const { claim } = value as { claim: { source: object; inspection: { digest: string } } }
    expect(claim.source).toEqual({
      source: 'asset-offers',
      sourceId: claim.inspection.digest,
      observedAt: expect.any(String),
    })
  })

  test('an event whose PSBT is no order, as by the route: it is REJECTED, and has a name', async () => {
    const { judged } = await told(event(saleEvent(makeAsk({ unsigned: true }).psbt, [])))
    expect(judged).toEqual(GOOD)
  })
})

describe('what is refused', () => {
  const sale = saleEvent(makeAsk().psbt, [])
  const other = saleEvent(makeBid().psbt, [])

  test.each<[string, Telling, object]>([
    [
      'an event with another id',
      event({ ...sale, id: other.id }),
      { outcome: 'invalid_event', isLie: true, isSettled: false },
    ],
    [
      'an event with another signature',
      event({ ...sale, sig: other.sig }),
      { outcome: 'invalid_event', isLie: true, isSettled: false },
    ],
    [
      'an event with other content',
      event({ ...sale, content: other.content }),
      { outcome: 'invalid_event', isLie: true, isSettled: false },
    ],
    [
      'an event with too many tags: honest relays have such',
      event(
        saleEvent(
          '',
          Array.from({ length: 101 }, () => ['t']),
        ),
      ),
      { outcome: 'invalid_event', isLie: false, isSettled: false },
    ],
    [
      'an event of another network',
      event(saleEvent(makeAsk().psbt, [['n', 'signet']])),
      { outcome: 'wrong_network', isLie: false, isSettled: false },
    ],
    [
      'an event without a PSBT',
      event(saleEvent('hello', [])),
      { outcome: 'invalid_psbt', isLie: false, isSettled: true },
    ],
    [
      'an event with a PSBT that is too large',
      event(saleEvent('A'.repeat(100_000), [])),
      { outcome: 'psbt_too_large', isLie: false, isSettled: true },
    ],
    [
      'an offer without a PSBT',
      offer('hello'),
      { outcome: 'invalid_psbt', isLie: false, isSettled: true },
    ],
    [
      'an offer that nobody signed',
      offer(makeAsk({ unsigned: true }).psbt),
      { outcome: 'unsupported_order', isLie: false, isSettled: true },
    ],
    [
      'a bid that is not funded',
      offer(makeBid({ priceSats: '95000' }).psbt),
      { outcome: 'unsupported_order', isLie: false, isSettled: true },
    ],
  ])('%s', async (_name, item, wanted) => {
    const { judged, records, faults } = await told(item)
    expect(judged).toEqual(wanted)
    expect([records, faults]).toEqual([[], []])
  })

  test('what a bug is met by: it is told, and ends nothing', async () => {
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new TypeError('a bug')
        },
      },
    )
    const { judged, faults } = await told({ kind: 'event', id: 'a', event: trap })
    expect(judged).toEqual({ outcome: 'internal', isLie: false, isSettled: true })
    expect(faults).toEqual([new TypeError('a bug')])
  })
})

test('what the log does not take is thrown', async () => {
  const log = new MemoryLog()
  log.append = () => Promise.reject(new Error('full'))
  await expect(told(offer(makeBid().psbt), log)).rejects.toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
  })
})
