import { afterEach, describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import {
  openRelayFeed,
  RELAY_LIMITS,
  type RelayLimits,
} from '../../../src/adapters/nostr/relay-feed.ts'
import type { NostrEvent } from '../../../src/schemas/wire/nostr.ts'
import { openRogueRelay, type RogueRelay } from '../../support/faults/rogue-relay.ts'
import { type FeedReader, readInBackground } from '../../support/log/feed-reader.ts'
import { saleEvent } from '../../support/orders/sale-event.ts'
import { systemClock } from '../../support/system-clock.ts'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) await end()
})

interface Manners {
  /** What the relay says at the end of a page, besides `["EOSE", name]`. */
  eose?: (name: string) => unknown[][]
  /** Its answer to the end of a subscription. */
  onClose?: (name: string) => unknown[][]
  /** True: a name that is in use is refused (an early NIP-01). */
  refusesNamesInUse?: boolean
  /** How many subscriptions it allows at a time. */
  maxOpen?: number
  /** Sent after the first page of stored events. */
  extra?: (name: string) => unknown[][]
  /** Published while each page is sent: every subscription gets it, as it matches all of them. */
  published?: () => NostrEvent
}

const PAGE = 2
const stored = [1, 2, 3, 4, 5].map((n) =>
  saleEvent(`content ${n}`, [], { createdAt: 1_700_000_000 + 10 * n }),
)
const ids = stored.map(({ id }) => id).sort()

/** Events of a page, as NIP-01 asks for: the newest first, `until` included. */
function pageOf({ until = Number.POSITIVE_INFINITY }: { until?: number }): NostrEvent[] {
  const wanted = stored.filter(({ created_at }) => created_at <= until)
  return wanted.sort((a, b) => b.created_at - a.created_at).slice(0, PAGE)
}

async function follow(
  manners: Manners,
  limits: Partial<RelayLimits> = {},
): Promise<{ reader: FeedReader; relay: RogueRelay; open: ReadonlySet<string> }> {
  const { eose = (name) => [['EOSE', name]], onClose = () => [], refusesNamesInUse } = manners
  const { maxOpen = Number.POSITIVE_INFINITY } = manners
  const open = new Set<string>()
  let extra = manners.extra
  const onMessage = (message: unknown[], socket: WebSocket) => {
    const send = (...frames: unknown[][]) => {
      for (const frame of frames) socket.send(JSON.stringify(frame))
    }
    const name = String(message[1])
    if (message[0] === 'CLOSE') {
      open.delete(name)
      return send(...onClose(name))
    }
    if (open.has(name) && refusesNamesInUse) {
      return send(['CLOSED', name, `duplicate: ${name} already opened`])
    }
    if (open.size >= maxOpen) return send(['CLOSED', name, 'error: too many subscriptions'])
    open.add(name)
    send(...pageOf(message[2] as { until?: number }).map((event) => ['EVENT', name, event]))
    const news = manners.published?.()
    if (news) send(...[...open].map((each) => ['EVENT', each, news]))
    if (extra) send(...extra(name))
    extra = undefined
    send(...eose(name))
  }
  const relay = await openRogueRelay({ onMessage })
  cleanUp.push(relay.close)
  const feed = openRelayFeed({
    url: relay.url,
    clock: systemClock,
    limits: { ...RELAY_LIMITS, ...limits },
  })
  const reader = readInBackground(feed)
  cleanUp.push(reader.stop)
  return { reader, relay, open }
}

async function readsAll(manners: Manners, limits: Partial<RelayLimits> = {}) {
  const followed = await follow(manners, limits)
  const { reader } = followed
  const isOver = () => reader.cursors.length > 0 || reader.fault !== null
  await reader.until('it is caught up', isOver)
  expect(reader.fault).toBeNull()
  expect(reader.items.filter(({ kind }) => kind !== 'event')).toEqual([])
  const known = new Set(ids)
  expect([...new Set(reader.ids())].filter((id) => known.has(id)).sort()).toEqual(ids)
  return followed
}

describe('a relay that says more than NIP-01 asks of it', () => {
  test.each<[string, Manners]>([
    ['at the end of a page, that it was all (NIP-67)', hinting('finish')],
    ['at the end of a page, that there is more (NIP-67)', hinting('more')],
    ['at the end of a page, hints that are not known yet (NIP-67)', hinting('later', 'x')],
    ['at the end of a page, no hint (NIP-67)', hinting()],
    ['at the end of a page, anything', { eose: (name) => [['EOSE', name, null, { n: 1 }]] }],
    ['beside an event', { extra: (name) => [['EVENT', name, stored[0], 'wss://origin', 1]] }],
    ['beside a notice', { extra: () => [['NOTICE', 'welcome', { level: 'info' }]] }],
    ['beside a challenge', { extra: () => [['AUTH', 'challenge', 'relay']] }],
    ['of another subscription’s end', { extra: () => [['CLOSED', 'x', 'error: none', 1]] }],
  ])('%s: it is read whole, and that is no lie', async (_name, manners) => {
    await readsAll(manners)
  })

  function hinting(...hints: string[]): Manners {
    return { eose: (name) => [['EOSE', name, hints]] }
  }
})

test('what is published meanwhile and claims to be old ends no page: the relay is read whole', async () => {
  let n = 0
  const published = () => saleEvent(`old ${++n}`, [], { createdAt: n })
  const { reader } = await readsAll({ published })
  expect(reader.items.length).toBeGreaterThan(n)
})

describe('a relay with its own idea of a subscription is read whole', () => {
  test('it refuses a name that is in use, as an early NIP-01 said', async () => {
    const { reader, relay } = await readsAll(
      { refusesNamesInUse: true },
      { pingMs: 250, refreshMs: 300 },
    )
    const news = () => relay.said.filter(([kind, , filter]) => kind === 'REQ' && !hasUntil(filter))
    await reader.until('new events are requested again', () => news().length > 2)
    expect(reader.fault).toBeNull()
  })

  test('it says twice where a page ends', async () => {
    await readsAll({
      eose: (name) => [
        ['EOSE', name],
        ['EOSE', name],
      ],
    })
  })

  test.each<[string, unknown[]]>([
    ['with a reason', ['']],
    ['without one', []],
  ])('it confirms each end that was asked for, %s', async (_name, reason) => {
    await readsAll({ onClose: (name) => [['CLOSED', name, ...reason]] })
  })

  test('it allows two at a time, and is left with one, however many pages and refreshes', async () => {
    const limits = { pingMs: 250, refreshMs: 300 }
    const { reader, relay, open } = await readsAll({ maxOpen: 2 }, limits)
    const news = () => relay.said.filter(([kind, , filter]) => kind === 'REQ' && !hasUntil(filter))
    await reader.until('new events are requested again', () => news().length > 2)
    await reader.until('the others were ended', () => open.size === 1)
  })

  test('it ends the subscription without a reason: declined', async () => {
    const { reader } = await follow({ eose: (name) => [['CLOSED', name]] })
    expect(await reader.faulted()).toMatchObject({
      trouble: 'declined',
      message: 'the relay ended the subscription without a reason',
    })
  })
})

const hasUntil = (filter: unknown): boolean =>
  typeof filter === 'object' && filter !== null && 'until' in filter
