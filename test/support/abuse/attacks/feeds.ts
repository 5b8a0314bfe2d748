import { setTimeout as delay } from 'node:timers/promises'
import { generateSecretKey } from 'nostr-tools/pure'
import { finalizeEvent, setNostrWasm } from 'nostr-tools/wasm'
import { initNostrWasm } from 'nostr-wasm'
import type { Attack } from '../attacks.ts'
import { asksOfNothing, forgedAsks, junkBids } from '../junk.ts'
import type { RogueFeeds } from '../rogue-feeds.ts'
import type { Stranger } from '../stranger.ts'

const LIMIT = { requests: 1, ms: 3_000, atOnce: 1 }
const LONGEST_MS = 30_000
const KEYS = Array.from({ length: 50 }, () => generateSecretKey())

async function during(
  { tally, limit }: Stranger,
  feeds: RogueFeeds,
  begin: () => void,
): Promise<void> {
  const before = feeds.sent()
  begin()
  const latest = performance.now() + LONGEST_MS
  await delay(limit.ms)
  // A feed asks again once it has processed the previous answer.
  while (feeds.sent().messages === before.messages && performance.now() < latest) await delay(200)
  feeds.flood(null)
  feeds.offer('{"offers":[]}')
  const after = feeds.sent()
  tally.requests += after.messages - before.messages
  tally.bytes += after.bytes - before.bytes
}

/** What relays and offers servers send. */
export const FEED_ATTACKS: readonly Attack[] = [
  {
    name: 'a relay that floods with true events of junk',
    limit: LIMIT,
    run: async (stranger, { victim }, feeds) => {
      // In JavaScript a signature takes 2 ms: a flood would need a core of its own.
      setNostrWasm(await initNostrWasm())
      const [forged, nothing] = [forgedAsks(victim), asksOfNothing()]
      let n = 0
      await during(stranger, feeds, () =>
        feeds.flood(() => {
          n += 1
          const content = (n % 2 ? forged : nothing).make(n)
          const tags = [
            ['n', 'regtest'],
            ['t', 'sell'],
            ['u', `${victim.outpoint.txid}:${victim.outpoint.vout}`],
          ]
          const template = { kind: 802, created_at: Math.floor(Date.now() / 1_000), tags, content }
          return finalizeEvent(template, KEYS[n % KEYS.length] ?? generateSecretKey())
        }),
      )
    },
  },
  {
    name: 'a relay that lies',
    limit: LIMIT,
    run: (stranger, { listed }, feeds) => {
      let n = 0
      return during(stranger, feeds, () =>
        feeds.flood(() => {
          n += 1
          return {
            id: n.toString(16).padStart(64, '0'),
            pubkey: 'ab'.repeat(32),
            created_at: n,
            kind: 802,
            tags: [['n', 'regtest']],
            content: listed[0]?.psbt,
            sig: 'cd'.repeat(64),
          }
        }),
      )
    },
  },
  {
    name: 'an offers server with a list of junk',
    limit: LIMIT,
    run: (stranger, { victim: { outpoint, output } }, feeds) => {
      const junk = junkBids(outpoint, output.valueSats)
      const offers = Array.from({ length: 500 }, (_, n) => junk.make(n))
      return during(stranger, feeds, () => feeds.offer(JSON.stringify({ offers })))
    },
  },
  // The last: the feed rests after it.
  {
    name: 'an offers server that drips',
    limit: LIMIT,
    run: (stranger, _, feeds) => during(stranger, feeds, () => feeds.offer('drip')),
  },
]
