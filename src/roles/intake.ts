import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Counter, Gauge } from 'prom-client'
import { openFeedStore } from '../adapters/embedded/feed-store.ts'
import { LmdbStore } from '../adapters/embedded/lmdb-store.ts'
import { openRelayFeed } from '../adapters/nostr/relay-feed.ts'
import { openOffersFeed } from '../adapters/ord/offers-feed.ts'
import { readFromFeed } from '../gateway/import-from-feed.ts'
import { Allowances, openBudget, type Rate } from '../ports/budget.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { FullNode } from '../ports/full-node.ts'
import type { OrderFeed } from '../ports/order-feed.ts'
import type { SignatureChecker } from '../ports/signature-checker.ts'
import type { Config } from '../schemas/config.ts'
import { FEED_LIMITS, type FeedLimits, type FeedState, followFeed } from '../streams/follow-feed.ts'
import { takeOnce } from '../streams/take-once.ts'
import { feedExaminer } from './feed-examiner.ts'
import type { Metrics } from './metrics.ts'
import { type Supervision, supervise } from './supervise.ts'

/** Examinations for all feeds together. */
export const INTAKE_RATE: Rate = { perSecond: 20, burst: 20 }
/** Imports of one order. */
export const ORDER_RATE: Rate = { perSecond: 1 / 60, burst: 8 }
/** A list of offers comes at once, and never again while it stays as it is: the largest has room. */
export const OFFERS_QUEUE_SIZE = 2 ** 24
const OFFERS_LIMITS: FeedLimits = {
  ...FEED_LIMITS,
  queue: { ...FEED_LIMITS.queue, maxSize: OFFERS_QUEUE_SIZE },
}

export interface IntakeParts extends Supervision {
  log: Pick<EventLog, 'append' | 'partitions'>
  metrics: Pick<Metrics, 'registry' | 'faults'>
  /** Null: none is configured, and feeds wait for one. */
  node: FullNode | null
  /** Opened where there are feeds, and closed by whoever opens it. */
  openSignatures: () => SignatureChecker
}

export interface Intake {
  /** Of each feed that the configuration names, by its address. */
  states(): ReadonlyMap<string, FeedState>
}

/**
 * Follows the feeds that the configuration names until the closer ends: NOSTR_RELAYS, OFFERS_URL.
 * What they tell is proved by the node and imported by the log; their troubles are shown, and are
 * nobody else's. Its memory is a store of its own in DATA_DIR. Nothing is opened where no feed is named.
 *
 * @throws StorageUnavailable while another process has the store open
 */
export async function superviseIntake(config: Config, parts: IntakeParts): Promise<Intake> {
  const { clock, logger, closer, log, metrics, node, openSignatures } = parts
  const feeds = feedsOf(config, parts)
  const states = new Map<string, FeedState>()
  if (feeds.length === 0) return { states: () => states }

  const lmdb = await LmdbStore.open(join(config.DATA_DIR, 'intake'))
  closer.add(() => lmdb.close())
  const store = openFeedStore(lmdb)
  const budget = openBudget(INTAKE_RATE, clock)
  const onFault = (error: unknown) => {
    metrics.faults.inc({ part: 'intake' })
    logger.error({ part: 'intake', err: error }, 'a fault was survived')
  }
  const importer = {
    log,
    clock,
    newRequestId: randomUUID,
    settings: { network: config.BITCOIN_NETWORK },
    examine: feedExaminer({ node, signatures: openSignatures(), clock }),
    orders: new Allowances(ORDER_RATE),
    onFault,
  }
  const take = takeOnce({ store, clock, read: (item) => readFromFeed(importer, item) })
  const meter = meterIntake(metrics.registry)

  for (const feed of feeds) {
    const onState = (state: FeedState) => {
      states.set(feed.url, state)
      meter.state(feed, state)
      const about = { feed: feed.source, from: from(feed), ...state }
      if (state.state === 'paused') logger.warn(about, 'a feed is let alone for a while')
      else logger.info(about, 'a feed')
    }
    const onItem = (outcome: string) => meter.item(feed, outcome)
    const limits = feed.source === 'asset-offers' ? OFFERS_LIMITS : FEED_LIMITS
    const given = { feed, store, take, budget, clock, random: Math.random, limits }
    const following = { ...given, onState, onItem }
    supervise(`intake of ${from(feed)}`, parts, (signal) => followFeed(following, signal))
  }
  return { states: () => states }
}

function feedsOf(config: Config, { clock }: IntakeParts): OrderFeed[] {
  const { NOSTR_RELAYS = [], OFFERS_URL, OFFERS_POLL_MS } = config
  const relays = NOSTR_RELAYS.map((url) => openRelayFeed({ url, clock }))
  if (OFFERS_URL === undefined) return relays
  return [...relays, openOffersFeed({ url: OFFERS_URL, pollMs: OFFERS_POLL_MS, clock })]
}

/** Without a query, which may hold a key. */
function from({ url }: OrderFeed): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

/** Labels are of closed lists, or of the configuration. */
function meterIntake(registry: Metrics['registry']) {
  const registers = [registry]
  const items = new Counter({
    name: 'market_intake_items_total',
    help: 'What feeds told, by what became of it.',
    labelNames: ['feed', 'outcome'],
    registers,
  })
  const pauses = new Counter({
    name: 'market_intake_pauses_total',
    help: 'Times that a feed was let alone for a while, by why.',
    labelNames: ['feed', 'trouble'],
    registers,
  })
  const following = new Gauge({
    name: 'market_intake_following',
    help: '1 while all that the feed had is told and what comes is followed.',
    labelNames: ['feed', 'host'],
    registers,
  })
  return {
    item: ({ source }: OrderFeed, outcome: string) => items.inc({ feed: source, outcome }),
    state: ({ source, url }: OrderFeed, state: FeedState) => {
      const labels = { feed: source, host: new URL(url).host }
      following.set(labels, state.state === 'following' ? 1 : 0)
      if (state.state === 'paused') pauses.inc({ feed: source, trouble: state.trouble })
    },
  }
}
