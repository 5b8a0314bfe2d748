import type { Attack } from '../attacks.ts'
import { asksOfNothing } from '../junk.ts'
import { anyNetwork, ONE_ADDRESS } from '../stranger.ts'

const API = '/api/market'
const FLOOD = { requests: 3_000, ms: 3_000, atOnce: 16 }
const SLOW = { requests: 300, ms: 3_000, atOnce: 16 }
const MANY_PROTOCOLS = Array.from({ length: 64 }, (_, n) => `runes${n % 2 ? '' : n}`).join(',')
const WORDS = Array.from({ length: 40 }, (_, n) => `w${n}`).join('%20')
const A_HASH = 'ab'.repeat(32)

/** Endless reads. */
export const READ_ATTACKS: readonly Attack[] = [
  {
    name: 'lists at flood rate',
    limit: FLOOD,
    run: (stranger) =>
      stranger.often((n) => stranger.send(`${API}/orders?limit=200`, anyNetwork(n))),
  },
  {
    name: 'health at flood rate from one address',
    limit: FLOOD,
    run: (stranger) => stranger.often(() => stranger.send(`${API}/health`, ONE_ADDRESS)),
  },
  {
    name: 'pairing and circles at flood rate',
    limit: FLOOD,
    run: (stranger) => {
      const paths = [
        (n: number) => `/pairing/agreement/${n % 150}`,
        () => '/pairing/objects?limit=200',
        () => '/pairing/checkpoints?limit=200',
        () => '/circles/snapshot',
        () => '/circles/states',
        () => `/ready/search?q=${A_HASH.slice(0, 8)}`,
      ]
      return stranger.often((n) =>
        stranger.send(paths[n % paths.length]?.(n) ?? '/', anyNetwork(n)),
      )
    },
  },
  {
    name: 'searches of many words, protocols and bad cursors',
    limit: { ...FLOOD, requests: 1_500 },
    run: (stranger) => {
      const queries = [
        `search=${WORDS.slice(0, 120)}`,
        `protocols=${MANY_PROTOCOLS}`,
        `cursor=${'x'.repeat(1_000)}`,
        `search=a&sort=token_asc&limit=200&state=LIVE&side=ASK&safety=PUBLIC_RACEABLE`,
        `token=${'%E2%98%83'.repeat(60)}`,
        `state=REJECTED&limit=200`,
        `source=direct-import&limit=200&sort=oldest`,
        `offset=${'9'.repeat(4_000)}`,
        `search=${'%00'.repeat(100)}`,
      ]
      return stranger.often((n) =>
        stranger.send(`${API}/orders?${queries[n % queries.length]}`, anyNetwork(n)),
      )
    },
  },
  {
    name: 'streams that are left after their large snapshot',
    limit: { requests: 600, ms: 4_000, atOnce: 200 },
    run: (stranger) => {
      const path = `${API}/activity/stream?limit=200&search=a&includeWithdrawn=true`
      return stranger.often((n) => stranger.glimpse(path, anyNetwork(n)))
    },
  },
  {
    name: 'labels made to poison searches',
    limit: SLOW,
    putsOff: ['import'],
    run: (stranger, { listed }) => {
      const junk = asksOfNothing()
      return stranger.often((n) => {
        const psbt = n % 2 ? junk.make(n) : listed[n % listed.length]?.psbt
        const token = Array.from({ length: 32 }, (_, word) =>
          String.fromCodePoint(97 + ((n + word) % 26)),
        )
        const body = { psbt, token: token.join(' '), protocolId: '__proto__', sourceId: `p ${n}` }
        return stranger.send(`${API}/orders/import`, anyNetwork(n), { body })
      })
    },
  },
  {
    name: 'activity and the description of the API',
    limit: { ...FLOOD, requests: 600 },
    run: (stranger) =>
      stranger.often((n) =>
        stranger.send(n % 2 ? '/openapi.json' : `${API}/activity?limit=200`, anyNetwork(n)),
      ),
  },
  {
    name: 'unknown paths with bodies',
    limit: { ...SLOW, requests: 200 },
    run: (stranger) => {
      const body = Buffer.from(`{"a":[${'[],'.repeat(340_000)}0]}`)
      return stranger.often((n) => stranger.send(`/api/nothing/${n}`, anyNetwork(n), { body }))
    },
  },
  {
    name: 'paths of thousands of segments that cannot be decoded',
    limit: { ...FLOOD, requests: 1_000 },
    run: (stranger) => {
      const segments = '%/'.repeat(8_000)
      const paths = [
        `/${segments}`,
        `/pairing/${segments.slice(20)}`,
        `${API}/${segments.slice(20)}`,
      ]
      return stranger.often((n) => stranger.send(paths[n % paths.length] ?? '/', anyNetwork(n)))
    },
  },
  {
    name: 'bodies that are hard to parse',
    limit: { ...SLOW, requests: 200 },
    putsOff: ['import', 'portable-event'],
    run: (stranger) => {
      // As long as a body may be, and longer.
      const bodies = [
        `{"psbt":${'['.repeat(200_000)}`,
        `{${Array.from({ length: 25_000 }, (_, n) => `"k${n}":0`).join(',')}}`,
        `{"psbt":"${'cHNidP8B'.repeat(32_000)}"}`,
        `{"a":${'9'.repeat(260_000)}}`,
        `{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":0`).join(',')}}`,
        `{"psbt":"${'cHNidP8B'.repeat(120_000)}"}`,
        `{"a":${'9'.repeat(900_000)}}`,
      ].map((text) => Buffer.from(text))
      const paths = ['import', 'portable-event']
      return stranger.often((n) =>
        stranger.send(`${API}/orders/${paths[n % 2]}`, anyNetwork(n), {
          body: bodies[n % bodies.length] ?? '',
        }),
      )
    },
  },
  {
    name: "guesses of an operator's token",
    limit: { ...FLOOD, requests: 1_000 },
    run: (stranger) =>
      stranger.often((n) =>
        stranger.send(`${API}/admin/orders/${A_HASH}/hide`, anyNetwork(n), {
          body: {},
          headers: { authorization: `Bearer ${n.toString(16).padStart(64, '0')}` },
        }),
      ),
  },
]
