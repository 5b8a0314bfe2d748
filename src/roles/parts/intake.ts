import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { Counter, Gauge } from 'prom-client'
import { mapBytesOf } from '../../adapters/embedded/lmdb/lmdb-map.ts'
import { LmdbStore } from '../../adapters/embedded/lmdb/lmdb-store.ts'
import { openFeedStore } from '../../adapters/embedded/stores/feed-store.ts'
import { openRelayFeed, TRUSTED_RELAY_LIMITS } from '../../adapters/nostr/relay-feed.ts'
import { openOffersFeed } from '../../adapters/ord/offers-feed.ts'
import { readFromFeed } from '../../gateway/intake/import-from-feed.ts'
import type { WatermarkReader } from '../../gateway/last-watermark.ts'
import type { ArtifactInspector } from '../../ports/authorities/artifact-inspector.ts'
import type { AssetIndex } from '../../ports/authorities/asset-index.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import type { SignatureChecker } from '../../ports/authorities/signature-checker.ts'
import { FeedError, type FeedItem, type OrderFeed } from '../../ports/feeds/order-feed.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import { openRateLimiter } from '../../runtime/rate-limiter.ts'
import { Allowances, type Rate } from '../../runtime/token-bucket.ts'
import type { Turn } from '../../runtime/turn.ts'
import { aborted } from '../../runtime/until-aborted.ts'
import type { Config } from '../../schemas/config/config.ts'
import type { FeedStatus } from '../../schemas/operations.ts'
import { dedupe, type ItemReader } from '../../streams/feeds/dedupe.ts'
import {
  FEED_LIMITS,
  type FeedLimits,
  type FeedState,
  followFeed,
  TRUSTED_FEED_LIMITS,
  TRUSTED_RATE,
} from '../../streams/feeds/follow-feed.ts'
import type { Outages } from '../context/outages.ts'
import { type Supervision, supervise } from '../context/supervise.ts'
import type { Metrics } from '../observe/metrics.ts'
import { indexLoginAt } from '../open/index-login.ts'
import { EXAMINED_AT_ONCE, feedExaminer, TRUSTED_EXAMINED_AT_ONCE } from './feed-examiner.ts'

/** Examination rate for all feeds together that are not trusted. */
export const INTAKE_RATE: Rate = { perSecond: 20, burst: 20 }
/** Import rate of one order. */
export const ORDER_RATE: Rate = { perSecond: 1 / 60, burst: 8 }
/**
 * A list of offers comes all at once, and only once while it is unchanged: the largest one fits.
 */
export const OFFERS_QUEUE_SIZE = 2 ** 24
/** Characters of what is said of a feed in trouble. */
const MAX_DETAIL = 300
const OFFERS_LIMITS: FeedLimits = {
  ...TRUSTED_FEED_LIMITS,
  queue: { ...TRUSTED_FEED_LIMITS.queue, maxSize: OFFERS_QUEUE_SIZE },
}

export interface IntakeParts extends Supervision {
  log: Pick<EventLog, 'append' | 'partitions'>
  logger: Logger
  metrics: Pick<Metrics, 'registry'>
  outages: Pick<Outages, 'hear'>
  /** Null if none is configured: feeds then wait for one. */
  node: FullNode | null
  index: AssetIndex | null
  lastWatermark: WatermarkReader
  /** Called only if there are feeds; the result is closed by its opener. */
  openSignatures: () => SignatureChecker & ArtifactInspector
  /** Feeds are read in the turns of this process. */
  turn: Pick<Turn, 'alternate'>
}

export interface Intake {
  /** By feed address: the state of each feed that the configuration names. */
  states(): ReadonlyMap<string, FeedState>
  /** The status of the feeds, for operators to read. */
  status(): FeedStatus[]
}

/**
 * Follows the feeds that the configuration names until the closer ends: NOSTR_RELAYS,
 * NOSTR_TRUSTED_RELAYS, OFFERS_URL. Their items are proved by the node and imported through the log;
 * a feed's failures are reported, and affect no other part. It keeps a separate store in DATA_DIR.
 * Without feeds nothing is opened.
 *
 * @throws StorageUnavailableError while another process has the store open
 */
export async function superviseIntake(config: Config, parts: IntakeParts): Promise<Intake> {
  const { clock, logger, closer, log, metrics, node, index, outages, report, turn } = parts
  const feeds = feedsOf(config, parts)
  const states = new Map<string, FeedState>()
  const intake: Intake = {
    states: () => states,
    status: () => feeds.map(({ feed }) => statusOf(feed, states.get(feed.url))),
  }
  if (feeds.length === 0) return intake

  const lmdb = await LmdbStore.open(join(config.DATA_DIR, 'intake'), {
    mapBytes: mapBytesOf(config),
  })
  closer.add(() => lmdb.close())
  const store = openFeedStore(lmdb)
  const onFault = (error: unknown) => report('intake', error, 'recovered from error')
  const signatures = parts.openSignatures()
  const importer = {
    log,
    clock,
    artifacts: signatures,
    newRequestId: randomUUID,
    settings: { network: config.BITCOIN_NETWORK },
    orders: new Allowances(ORDER_RATE),
    onFault,
  }
  const asked = { node, index, signatures, clock, lastWatermark: parts.lastWatermark }
  const takeOnce = dedupe({ store, clock })
  const shared = (rate: Rate, atOnce: number) => {
    const examine = feedExaminer(asked, atOnce)
    const read: ItemReader = (item) => readFromFeed({ ...importer, examine }, item)
    return {
      budget: openRateLimiter(rate, clock),
      take: (source: OrderFeed['source'], item: FeedItem) => takeOnce(source, item, read),
    }
  }
  const ofTrusted = shared(TRUSTED_RATE, TRUSTED_EXAMINED_AT_ONCE)
  const ofOthers = shared(INTAKE_RATE, EXAMINED_AT_ONCE)
  const meter = meterIntake(metrics.registry)

  for (const { feed, isTrusted, limits } of feeds) {
    const outage = outages.hear(`feed ${from(feed)}`)
    const onState = (state: FeedState) => {
      states.set(feed.url, state)
      meter.state(feed, state)
      const about = { feed: feed.source, from: from(feed), ...state }
      if (state.state === 'paused') outage.failed(new FeedError(state.trouble, state.detail))
      else if (state.state === 'following') outage.answered()
      else logger.debug(about, 'feed state changed')
    }
    const onItem = (outcome: string) => meter.item(feed, outcome)
    const given = { feed, store, clock, random: Math.random, limits }
    const following = { ...given, ...(isTrusted ? ofTrusted : ofOthers), onState, onItem }
    const reading = {
      work: (until: AbortSignal) => followFeed(following, until),
      wait: (until: AbortSignal) => {
        onState({ state: 'connecting' })
        // Another process reads it now: what was seen here would be its state for good.
        outage.forget()
        return aborted(until)
      },
    }
    supervise(`intake of ${from(feed)}`, parts, (signal) => turn.alternate(reading, signal))
  }
  return intake
}

/** What a relay wrote is cut. */
const statusOf = (feed: OrderFeed, now: FeedState = { state: 'connecting' }): FeedStatus => ({
  feed: feed.source,
  from: from(feed),
  state: now.state,
  trouble: now.state === 'paused' ? now.trouble : null,
  detail: now.state === 'paused' ? now.detail.slice(0, MAX_DETAIL) : null,
})

interface ConfiguredFeed {
  feed: OrderFeed
  /** The operator wants all of it (ADR 109). */
  isTrusted: boolean
  limits: FeedLimits
}

function feedsOf(config: Config, { clock }: IntakeParts): ConfiguredFeed[] {
  const { NOSTR_RELAYS = [], NOSTR_TRUSTED_RELAYS = [], OFFERS_URL, OFFERS_POLL_MS } = config
  const others = NOSTR_RELAYS.map((url) => {
    const feed = openRelayFeed({ url, clock })
    return { feed, isTrusted: false, limits: FEED_LIMITS }
  })
  const trusted = NOSTR_TRUSTED_RELAYS.map((url) => {
    const feed = openRelayFeed({ url, clock, limits: TRUSTED_RELAY_LIMITS })
    return { feed, isTrusted: true, limits: TRUSTED_FEED_LIMITS }
  })
  if (OFFERS_URL === undefined) return [...others, ...trusted]
  const login = indexLoginAt(config, OFFERS_URL)
  const offers = openOffersFeed({ url: OFFERS_URL, pollMs: OFFERS_POLL_MS, clock, login })
  return [...others, ...trusted, { feed: offers, isTrusted: true, limits: OFFERS_LIMITS }]
}

/** Without a query, which may hold a key. */
function from({ url }: OrderFeed): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

/** Label values come from closed lists, or from the configuration. */
function meterIntake(registry: Metrics['registry']) {
  const registers = [registry]
  const items = new Counter({
    name: 'market_intake_items_total',
    help: 'Feed items, by outcome.',
    labelNames: ['feed', 'outcome'],
    registers,
  })
  const pauses = new Counter({
    name: 'market_intake_pauses_total',
    help: 'Pauses of a feed, by reason.',
    labelNames: ['feed', 'trouble'],
    registers,
  })
  const following = new Gauge({
    name: 'market_intake_following',
    help: '1 while the feed is caught up and followed.',
    labelNames: ['feed', 'host'],
    registers,
  })
  return {
    item: ({ source }: OrderFeed, outcome: string) => items.inc({ feed: source, outcome }),
    state: ({ source, url }: OrderFeed, state: FeedState) => {
      const { host, pathname } = new URL(url)
      // Two relays may have one host; there is one list of offers.
      const isPlain = source === 'asset-offers' || pathname === '/'
      const labels = { feed: source, host: isPlain ? host : host + pathname }
      following.set(labels, state.state === 'following' ? 1 : 0)
      if (state.state === 'paused') pauses.inc({ feed: source, trouble: state.trouble })
    },
  }
}
