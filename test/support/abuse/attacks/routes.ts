import type { Attack, StrangersWorld } from '../attacks.ts'
import { anyNetwork, ONE_ADDRESS, type Sending } from '../stranger.ts'

// The dearest request of each route that no other attack sends, whole families at a time.

const API = '/api/market'
const LIMIT = { requests: 300, ms: 3_000, atOnce: 16 }
const HASH = 'ab'.repeat(32)
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const SCRIPT = `0014${'11'.repeat(20)}`
const MAX_CHECKED = 100
/** The default of RATE_LIMIT_ARTIFACT. */
const ARTIFACTS_A_MINUTE = 60
/** The longest range that a statistic takes, ending with a day that has sales. */
const monthBefore = (): string => {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const now = Date.now()
  return `from=${day(now - 30 * 86_400_000)}&to=${day(now)}`
}

type Request = readonly [path: string, sending?: Sending]
/** One of a family's requests, about an order and an output of the world. */
type Route = (of: { id: string; outpoint: string; n: number; world: StrangersWorld }) => Request

const post = (path: string, body: object): Request => [path, { body }]

/** Sends each of these in turn, each time about another order. */
const family = (
  name: string,
  routes: readonly Route[],
  more: Partial<Pick<Attack, 'putsOff' | 'limit'>> = {},
): Attack => ({
  name,
  limit: LIMIT,
  ...more,
  run: (stranger, world) =>
    stranger.often((n) => {
      const route = routes[n % routes.length]
      const one = world.listed[Math.floor(n / routes.length) % world.listed.length]
      if (!route || !one) throw new Error('somebody has listed')
      const { txid, vout } = one.coin.outpoint
      const [path, sending] = route({ id: one.id, outpoint: `${txid}:${vout}`, n, world })
      return stranger.send(path, anyNetwork(n), sending)
    }),
})

/** Every output that strangers know of, over and over. */
function checked({ listed, own, legacy, crowded }: StrangersWorld): object {
  const known = [...listed.map(({ coin }) => coin), ...own, crowded].map((one) => one.outpoint)
  const all = [...known, ...legacy].slice(0, MAX_CHECKED)
  return { outpoints: all.map(({ txid, vout }) => ({ txid, vout })) }
}

const OUTPOINTS: readonly Route[] = [
  ({ outpoint }) => [`${API}/outpoints/${outpoint}?limit=200`],
  ({ outpoint }) =>
    post(`${API}/outpoints/${outpoint}/self-spend`, {
      destinationAddress: ADDRESS,
      feeRateSatsPerVb: '2',
    }),
  ({ world }) => post(`${API}/outpoints/check`, checked(world)),
  () => [`${API}/addresses/${ADDRESS}/outputs`],
  ({ outpoint }) => [`${API}/inscriptions/${outpoint.replace(':', 'i')}/content`],
]

const PASTS: readonly Route[] = [
  ({ id }) => [`${API}/orders/${id}/history?limit=100`],
  ({ id, n }) => [`${API}/orders/${id}/history?at=${100 + (n % 50)}`],
  ({ id }) => [`${API}/orders/${id}/bundle`],
  ({ id }) => [`${API}/orders/${id}/artifact`],
  ({ id }) => [`${API}/orders/${id}/nostr-envelope`],
  ({ id }) => [`${API}/orders/${id}/ownership-challenge`],
  ({ id }) =>
    post(`${API}/orders/${id}/withdraw`, {
      address: ADDRESS,
      message: 'x'.repeat(400),
      signature: 'A'.repeat(88),
    }),
  ({ id }) => [`${API}/activity?orderId=${id}&limit=200`],
]

/** A seller that differs makes every answer another. */
const seller = (n: number): string =>
  `seller=${SCRIPT.slice(0, -4)}${(n % 65_536).toString(16).padStart(4, '0')}`

const STATISTICS: readonly Route[] = [
  ...['market', 'depth'].map(
    (name): Route =>
      ({ n }) => [`${API}/stats/${name}?token=T${n}&limit=1000`],
  ),
  ({ n }) => [`${API}/stats/book?at=${100 + (n % 50)}&${seller(n)}`],
  ({ n }) => [`${API}/stats/volume?token=T${n}`],
  ({ n }) => [`${API}/stats/floor?interval=hour&token=T${n}&${monthBefore()}`],
  ({ n }) => [`${API}/stats/candles?interval=hour&token=T${n}&${monthBefore()}`],
  ({ n }) => [`${API}/stats/sales?${seller(n)}&${monthBefore()}`],
  ({ n }) => [`${API}/stats/sellers?${seller(n)}&${monthBefore()}`],
  ({ n }) => [`${API}/stats/inscription?inscription=${HASH}i${n}`],
  ({ n }) => [`${API}/stats/transaction?txid=${HASH.slice(8)}${n.toString(16).padStart(8, '0')}`],
  ({ n }) => [`${API}/stats/time-to-settle?token=T${n}&${monthBefore()}`],
  ...['conflicts', 'verdicts', 'sources'].map(
    (name): Route =>
      () => [`${API}/stats/${name}?${monthBefore()}`],
  ),
]

/** Files that are all another, of questions that take long. */
const FILES: readonly Route[] = [
  ({ n }) => [`${API}/stats/floor.csv?interval=hour&token=T${n}&${monthBefore()}`],
  ({ n }) => [`${API}/stats/book.parquet?at=${100 + n}`],
  ({ n }) => [`${API}/stats/sales.csv?${seller(n)}&${monthBefore()}`],
  ({ n }) => [`${API}/stats/sellers.parquet?limit=${1 + (n % 10_000)}&${monthBefore()}`],
]

const FACETS: readonly Route[] = [
  ({ n }) => [`${API}/orders/facets?includeWithdrawn=true&priceMin=${n}`],
  ({ n }) => [`${API}/orders/facets?search=w${n}%20punk&includeWithdrawn=true`],
  ({ n }) => [`${API}/addresses/${ADDRESS}/orders?limit=200&priceMin=${n}`],
  ({ id }) => [`${API}/orders/${id}`],
  () => [API],
  () => [`${API}/catalog`],
  () => [`${API}/fees`],
  () => [`${API}/protocol`],
  () => ['/livez'],
  () => ['/readyz'],
]

const FOLDS: readonly Route[] = [
  ({ n }) => [`/pairing/objects/${HASH.slice(0, -4)}${n % 10}000`],
  () => [`/pairing/objects/${HASH}/events?limit=200`],
  () => [`/pairing/objects/${HASH}/proof`],
  () => ['/pairing/carriers?limit=200'],
  ({ outpoint }) => [`/pairing/carriers/${outpoint.replace(':', '/')}`],
  ({ outpoint }) => [`/pairing/carriers/${outpoint.replace(':', '/')}/proof`],
  ({ outpoint }) => [`/pairing/events/${outpoint.split(':')[0]}`],
  ({ outpoint }) => [`/pairing/events/${outpoint.split(':')[0]}/0/proof`],
  ({ outpoint }) => [`/pairing/transactions/${outpoint.split(':')[0]}`],
  () => [`/pairing/verified/objects/${HASH}`],
  ({ n }) => [`/pairing/verified/search?q=o${n % 10}&limit=200`],
  () => [`/pairing/verified/addresses/${ADDRESS}?limit=200`],
  () => ['/pairing/readiness'],
  () => ['/ready'],
  () => ['/circles/state'],
  () => ['/circles/states?limit=200'],
  () => [`/circles/lineages/${HASH}`],
  () => [`/circles/circles/${HASH}`],
  ({ outpoint }) => [`/circles/shards/${outpoint}`],
  () => ['/circles/schema.json'],
]

const asOperator = { authorization: `Bearer ${'cd'.repeat(32)}` }
const wrongKey = { authorization: `Bearer mkc_${'A'.repeat(43)}` }
const OF_OPERATORS: readonly Route[] = [
  // Of customers: without a key, and with a wrong one.
  () => post(`${API}/orders/import/batch`, { psbt: 'x'.repeat(200_000) }),
  () => [`${API}/orders/import/batch`, { headers: wrongKey, body: { psbt: 'x' } }],
  () => [`${API}/orders?limit=200`, { headers: wrongKey }],
  ...[
    'hidden-orders?limit=200',
    'operations',
    'dead-letters/3/120',
    'topics',
    'topics/orders.inbox/records?limit=100&key=x',
    'webhooks',
    'webhooks/shop/dead-letters',
    'keys',
  ].map(
    (path): Route =>
      () => [`${API}/admin/${path}`, { headers: asOperator }],
  ),
  ...['', '/history?limit=100', '/bundle'].map(
    (path): Route =>
      ({ id }) => [`${API}/admin/orders/${id}${path}`, { headers: asOperator }],
  ),
  ...['withdraw', 'unhide'].map(
    (act): Route =>
      ({ id }) => [
        `${API}/admin/orders/${id}/${act}`,
        { headers: asOperator, body: { reason: 'x'.repeat(200) } },
      ],
  ),
  ...['rotate', 'pause', 'resume', 'retry', 'delete'].map(
    (act): Route =>
      () => [`${API}/admin/webhooks/shop/${act}`, { headers: asOperator, body: {} }],
  ),
  ...['/acme/rotate', '/acme/revoke'].map(
    (path): Route =>
      () => [`${API}/admin/keys${path}`, { headers: asOperator, body: {} }],
  ),
  () => [`${API}/admin/dead-letters/retry`, { headers: asOperator, body: { places: 'all' } }],
  () => [`${API}/admin/keys`, { headers: asOperator, body: { name: 'acme', tier: 'maker' } }],
  () => [
    `${API}/admin/webhooks`,
    { headers: asOperator, body: { name: 'shop', url: 'https://hooks.example/' } },
  ],
  () => ['/pairing/divergences?limit=200', { headers: asOperator }],
]

const streamOf = (n: number): string =>
  `GET ${API}/activity/stream?updatedSince=2020-01-01T00:00:00.${n % 1_000}Z HTTP/1.1\r\n` +
  `host: market\r\nx-forwarded-for: ${anyNetwork(n)}\r\n\r\n`

/** All that the other attacks leave out. */
export const ROUTE_ATTACKS: readonly Attack[] = [
  family('exposures, self-spends and checks of 100 outputs', OUTPOINTS),
  family('bundles, versions, artifacts and withdrawals', PASTS),
  {
    name: 'bundles of every order, to be signed for one address',
    // It goes on until some were signed and others refused, on a busy machine into the next minute.
    limit: { requests: 200, ms: 150_000, atOnce: 16 },
    perMinute: ARTIFACTS_A_MINUTE,
    run: (stranger, { listed }) =>
      stranger.often(
        (n) => stranger.send(`${API}/orders/${listed[n % listed.length]?.id}/bundle`, ONE_ADDRESS),
        ({ statuses }) => statuses['200'] !== undefined && statuses['429'] !== undefined,
      ),
  },
  family('statistics of a month, each with another answer', STATISTICS),
  family('files of statistics, each another, 100 at once', FILES, {
    limit: { ...LIMIT, atOnce: 100 },
  }),
  family('facets, books of an address, and what costs nothing', FACETS),
  family('every route of pairing and circles', FOLDS),
  family('every route of operators, without a token of one', OF_OPERATORS),
  {
    name: 'streams of many queries, left after a second',
    limit: { requests: 300, ms: 3_000, atOnce: 100 },
    run: (stranger) => stranger.often((n) => stranger.drip([streamOf(n)], 1, 1_000)),
  },
]
