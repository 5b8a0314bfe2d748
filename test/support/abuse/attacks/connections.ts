import type { Attack } from '../attacks.ts'
import { anyNetwork } from '../stranger.ts'

const API = '/api/market'
const STREAM = `${API}/activity/stream?limit=1`
const SNAPSHOT = '/circles/snapshot'
const REFERENCE = ['/docs/orders/', '/openapi.json', '/docs/json', '/docs/']

const get = (path: string, n: number): string =>
  `GET ${path} HTTP/1.1\r\nhost: market\r\nx-forwarded-for: ${anyNetwork(n)}\r\n\r\n`
const pages = (n: number, count: number): string =>
  Array.from({ length: count }, (_, at) =>
    get(`${API}/orders?limit=50&includeWithdrawn=true&priceMin=${n * count + at}`, n),
  ).join('')
const upload = (n: number): string =>
  `POST ${API}/orders/import HTTP/1.1\r\nhost: market\r\nx-forwarded-for: ${anyNetwork(n)}\r\n` +
  'content-type: application/json\r\ncontent-length: 60000\r\n\r\n{"psbt":"'

/** Attacks on what is held until an answer was sent. */
export const CONNECTION_ATTACKS: readonly Attack[] = [
  {
    name: 'a stream and snapshots in one packet, then gone',
    limit: { requests: 400, ms: 3_000, atOnce: 16 },
    run: (stranger) =>
      stranger.often((n) =>
        stranger.burst(get(STREAM, n) + get(SNAPSHOT, n).repeat(4), { ms: 100, perSecond: 1_024 }),
      ),
  },
  {
    name: 'bursts of pages, and gone',
    limit: { requests: 400, ms: 3_000, atOnce: 16 },
    run: (stranger) =>
      stranger.often((n) => stranger.burst(pages(n, 16), { ms: 20, perSecond: 1_024 })),
  },
  {
    name: 'answers read at a byte a second',
    limit: { requests: 100, ms: 4_000, atOnce: 100 },
    run: (stranger) =>
      stranger.often((n) => stranger.burst(pages(n, 16), { ms: stranger.limit.ms, perSecond: 1 })),
  },
  {
    name: 'files of statistics read at a byte a second',
    limit: { requests: 100, ms: 4_000, atOnce: 100 },
    run: (stranger) =>
      stranger.often((n) =>
        stranger.burst(get(`${API}/stats/verdicts.csv?limit=${1 + (n % 8)}`, n).repeat(16), {
          ms: stranger.limit.ms,
          perSecond: 1,
        }),
      ),
  },
  {
    name: 'connections reset in the middle of a stream, a snapshot, a page or an upload',
    limit: { requests: 400, ms: 3_000, atOnce: 16 },
    run: (stranger) => {
      const kinds = [
        (n: number) => get(STREAM, n),
        (n: number) => get(SNAPSHOT, n),
        (n: number) => pages(n, 8),
        upload,
      ]
      return stranger.often((n) =>
        stranger.burst(kinds[n % kinds.length]?.(n) ?? '', { ms: 50, perSecond: 1, end: 'RST' }),
      )
    },
  },
  {
    name: 'files of the reference',
    limit: { requests: 600, ms: 3_000, atOnce: 16 },
    run: (stranger) =>
      stranger.often((n) =>
        stranger.send(REFERENCE[n % REFERENCE.length] ?? '/docs', anyNetwork(n), {
          headers: n % 2 ? { 'accept-encoding': 'gzip, br' } : {},
        }),
      ),
  },
]
