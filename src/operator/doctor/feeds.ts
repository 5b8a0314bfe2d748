import { systemClock } from '../../adapters/embedded/system-clock.ts'
import { openRelayFeed, RELAY_LIMITS } from '../../adapters/nostr/relay-feed.ts'
import {
  OFFERS_LIMITS,
  type OffersFeedOptions,
  openOffersFeed,
} from '../../adapters/ord/offers-feed.ts'
import { FeedError, type OrderFeed } from '../../ports/feeds/order-feed.ts'
import { indexLoginAt } from '../../roles/open/index-login.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import type { Config } from '../../schemas/config/config.ts'
import { type Check, type Finding, ok, warn } from './finding.ts'

const ASKED_MS = 5_000
const NEVER = new AbortController().signal
const RELAY_LISTS = [
  { variable: 'NOSTR_RELAYS', name: 'relays' },
  { variable: 'NOSTR_TRUSTED_RELAYS', name: 'trusted relays' },
] as const

/** Relays and the offers, if configured: an unavailable one stops no order. */
export const feedChecks = ({ OFFERS_URL, ...config }: Config): Check[] => [
  ...RELAY_LISTS.flatMap(({ variable, name }) => {
    const urls = config[variable]
    if (!urls) return []
    const cure = `set ${variable} to relays that are reachable`
    return [
      {
        name,
        needs: [variable] as const,
        cure,
        look: () => Promise.all(urls.map((url) => relayFinding(url, variable))),
      },
    ]
  }),
  ...(OFFERS_URL
    ? [
        {
          name: 'offers',
          needs: ['OFFERS_URL'] as const,
          cure: 'set OFFERS_URL to an ord server with --accept-offers',
          look: async () => [await offersFinding(OFFERS_URL, indexLoginAt(config, OFFERS_URL))],
        },
      ]
    : []),
]

const relayFinding = (url: string, variable: string): Promise<Finding> =>
  feedFinding(
    openRelayFeed({ url, clock: systemClock, limits: { ...RELAY_LIMITS, connectMs: ASKED_MS } }),
    `remove it from ${variable} if this persists`,
  )

/** There is one login for ord, so that of another server cannot be read. */
const OFFERS_CURE =
  'start ord there with --accept-offers, or set OFFERS_URL to its address; a login is sent to the server of ASSET_INDEX_URL alone'

const offersFinding = (url: string, login: OffersFeedOptions['login']): Promise<Finding> =>
  feedFinding(
    openOffersFeed({
      url,
      pollMs: ASKED_MS,
      clock: systemClock,
      login,
      limits: { ...OFFERS_LIMITS, timeoutMs: ASKED_MS },
    }),
    OFFERS_CURE,
  )

/** Reads the feed as the intake does, up to its first answer: a day of a relay, the list of offers. */
const feedFinding = (feed: OrderFeed, cure: string): Promise<Finding> =>
  withDeadline(systemClock, 2 * ASKED_MS, NEVER, async (stop) => {
    // Its query may hold a key.
    const [name = ''] = feed.url.split('?')
    try {
      for await (const { items, cursor } of feed.read(
        Math.floor(systemClock.now() / 1_000),
        stop,
      )) {
        if (cursor !== null || items.some(({ kind }) => kind !== 'lie')) {
          return ok(`${name} answers`)
        }
      }
      return warn(`${name} sent nothing within ${(2 * ASKED_MS) / 1_000} s`, cure)
    } catch (error) {
      if (!(error instanceof FeedError)) throw error
      const trouble = error.trouble === 'unreachable' ? 'is unreachable' : 'cannot be followed'
      return warn(`${name} ${trouble}: ${error.message.replaceAll(feed.url, name)}`, cure)
    }
  })
