import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, LightMyRequestResponse, RouteOptions } from 'fastify'
import pino from 'pino'
import { Registry } from 'prom-client'
import * as ecc from 'tiny-secp256k1'
import { newOrder } from '../../../src/actors/order/changes/new-order.ts'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../src/adapters/embedded/log/log.ts'
import { EmbeddedRecordBrowser } from '../../../src/adapters/embedded/log/record-browser.ts'
import { EmbeddedBuiltAsks } from '../../../src/adapters/embedded/stores/built-asks.ts'
import { EmbeddedIdempotency } from '../../../src/adapters/embedded/stores/idempotency.ts'
import { EmbeddedUnprovedPool } from '../../../src/adapters/embedded/stores/unproved-pool.ts'
import { EmbeddedWebhookProgress } from '../../../src/adapters/embedded/stores/webhook-progress.ts'
import { systemClock } from '../../../src/adapters/embedded/system-clock.ts'
import { EmbeddedViews } from '../../../src/adapters/embedded/views/views.ts'
import { judgeProof } from '../../../src/domain/bip322/judge-proof.ts'
import { readPurchase } from '../../../src/domain/purchase/read-purchase.ts'
import { completeSigned } from '../../../src/domain/verdict/signatures.ts'
import { CustomerKeys } from '../../../src/gateway/customers/customer-keys.ts'
import type { Gateway, GatewaySettings } from '../../../src/gateway/gateway.ts'
import {
  type AppDeps,
  buildApp,
  DEFAULT_HTTP_SETTINGS,
  type HttpSettings,
} from '../../../src/http/app.ts'
import type { RateLimits } from '../../../src/http/limits/rate-limits.ts'
import type { Readiness } from '../../../src/http/routes/probes.ts'
import type { JudgedOffer, OfferToJudge } from '../../../src/ports/feeds/offer-judge.ts'
import { HistoryUnavailableError } from '../../../src/ports/views/history.ts'
import type { NameLookup } from '../../../src/ports/webhooks/webhook-transport.ts'
import { BUILD_INFO } from '../../../src/roles/observe/build-info.ts'
import { ProcessMeter } from '../../../src/roles/observe/process-meter.ts'
import type { KeyTier } from '../../../src/schemas/customers/key-records.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { followChanges } from '../../../src/streams/activity/follow-changes.ts'
import { listingReadiness } from '../../../src/streams/readiness/listing-readiness.ts'
import { artifactsHere } from '../artifacts-here.ts'
import { InboxPlayer } from '../log/inbox-player.ts'
import { evidenceOf, nodeAway } from '../orders/evidence.ts'
import { bookOf } from '../orders/order-book.ts'
import { viewsOf } from '../orders/view-orders.ts'
import { checkedSerializer, checkTexts } from './checked-serializer.ts'
import { TEST_CURSORS } from './test-cursors.ts'

const nodeIsAway = async () => evidenceOf({ node: nodeAway() })

/** Every record is passed to the log; what becomes of it these tests play. */
async function asProved(offer: OfferToJudge): Promise<JudgedOffer> {
  const { orderId, at } = offer
  const order = offer.known ?? newOrder(orderId, 'regtest', { claim: offer.claim, at })
  return { order, changes: [], isProved: true }
}

export interface TestAppOptions {
  http?: Partial<Omit<HttpSettings, 'rateLimits'>> & { rateLimits?: Partial<RateLimits> }
  settings?: Partial<GatewaySettings>
  ports?: Partial<
    Pick<
      Gateway,
      | 'history'
      | 'statistics'
      | 'versions'
      | 'readiness'
      | 'log'
      | 'views'
      | 'clock'
      | 'node'
      | 'index'
      | 'contents'
      | 'offers'
      | 'inspections'
      | 'judge'
      | 'checks'
    >
  >
  /** Routes besides those of the market. */
  pairing?: AppDeps['pairing']
  circles?: AppDeps['circles']
  console?: AppDeps['console']
  reference?: string
  operations?: Partial<AppDeps['operations']>
  webhookKeys?: readonly Uint8Array[]
  lookUp?: NameLookup
  /** Of the log. */
  partitions?: number
  /** API_TIERS. */
  tiers?: readonly KeyTier[]
  lagMs?: () => number
  sharedCounts?: AppDeps['sharedCounts']
  readiness?: () => Promise<Readiness>
  onRoute?: (route: RouteOptions) => void
}

/** A gateway over the embedded stores in a folder of its own; the test plays the actors. */
export interface TestApp {
  app: FastifyInstance
  gateway: Gateway
  registry: Registry
  /** The gateway's log: whole lines. */
  logLines: string[]
  commands: InboxPlayer
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  post(
    url: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>
  /** Puts one order into the views: LIVE and just verified, unless said otherwise. */
  seed(changes?: Partial<OrderRecord>): Promise<OrderRecord>
  /** Listens on a free port of this machine. */
  listen(): Promise<number>
  close(): Promise<void>
}

/** What the app answers while it waits so briefly for a verdict that none comes in time. */
export async function withoutPatience<T>({ gateway }: TestApp, ask: () => Promise<T>): Promise<T> {
  const { settings } = gateway
  gateway.settings = { ...settings, verdictWaitMs: 400 }
  return await ask().finally(() => {
    gateway.settings = settings
  })
}

const DEFAULT_PARTITIONS = 2

const awayHere = async (): Promise<never> => {
  throw new HistoryUnavailableError('not part of this test')
}
/** A history that has recorded every change, and says so. */
export const historyWith = (activity: Gateway['history']['activity']): Gateway['history'] => ({
  activity,
  lastSeq: async () => Number.MAX_SAFE_INTEGER,
})

const historyAway: Gateway['history'] = { activity: awayHere, lastSeq: awayHere }

export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const directory = await mkdtemp(join(tmpdir(), 'market-http-'))
  const store = await LmdbStore.open(directory)
  const { partitions = DEFAULT_PARTITIONS } = options
  const log = await EmbeddedLog.open({ store, partitions, clock: systemClock })
  const views = await EmbeddedViews.open({ store, network: 'regtest', clock: systemClock })
  const commands = new InboxPlayer(log, views)
  const registry = new Registry()
  const logLines: string[] = []
  const gateway: Gateway = {
    log,
    views,
    history: historyAway,
    statistics: { rows: awayHere, file: awayHere },
    versions: { versions: awayHere, places: awayHere },
    changes: followChanges({
      log: options.ports?.log ?? log,
      clock: systemClock,
      onFailure: (error) => {
        throw error
      },
    }),
    readiness: listingReadiness({
      node: null,
      index: null,
      storage: views,
      clock: systemClock,
      maxLagBlocks: 2,
      timeoutMs: 3_000,
      cacheForMs: 0,
    }),
    proofs: { judge: async (question) => judgeProof(question, ecc) },
    purchases: {
      read: async (text) => readPurchase(text, ecc),
      complete: async (question) => completeSigned(question, ecc),
    },
    artifacts: artifactsHere,
    offers: { examine: nodeIsAway, examineProof: nodeIsAway },
    inspections: { examine: nodeIsAway, examineProof: nodeIsAway },
    judge: { judge: asProved, bringsNews: () => true },
    lastWatermark: async () => null,
    checks: { check: async () => ({ status: 'changed' }) },
    bundleSigner: null,
    builds: new EmbeddedBuiltAsks(store),
    pool: new EmbeddedUnprovedPool(store),
    stored: { spend: () => {} },
    node: null,
    index: null,
    contents: null,
    cursors: TEST_CURSORS,
    clock: systemClock,
    newRequestId: randomUUID,
    settings: {
      network: 'regtest',
      enabled: true,
      nodeConfigured: false,
      indexConfigured: false,
      contentConfigured: false,
      maxVerificationAgeSeconds: 600,
      publicOrigin: 'https://market.example',
      ownershipWindowSeconds: 600,
      quoteTtlSeconds: 300,
      verdictWaitMs: 5_000,
      ...options.settings,
    },
    ...options.ports,
  }
  const tiers = new Map((options.tiers ?? []).map((tier) => [tier.name, tier]))
  const keys = new CustomerKeys(tiers, gateway.clock)
  const meter = new ProcessMeter({ registry, clock: systemClock, role: 'all' })
  const stop = new AbortController()
  const followed = keys.follow(log, stop.signal)
  const app = buildApp({
    gateway,
    registry,
    idempotency: new EmbeddedIdempotency(store),
    logger: pino({ level: 'info' }, { write: (line: string) => logLines.push(line) }),
    pairing: options.pairing,
    circles: options.circles,
    console: options.console,
    ...(options.reference !== undefined && { reference: options.reference }),
    webhooks: {
      ...{ log: gateway.log, clock: gateway.clock, settings: gateway.settings },
      progress: new EmbeddedWebhookProgress(store),
      keys: options.webhookKeys ?? [new Uint8Array(32).fill(9)],
      loopback: true,
      lookUp: options.lookUp ?? (async () => []),
      tierOf: (name) => keys.tierOf(name),
    },
    customers: {
      keys,
      office: {
        ...{ log: gateway.log, clock: gateway.clock, tiers, randomBytes },
        refresh: () => keys.refresh(gateway.log),
      },
    },
    operations: {
      ...{ log: gateway.log, views: gateway.views, feeds: null, build: BUILD_INFO },
      ...{ browser: new EmbeddedRecordBrowser(store, partitions, systemClock), clock: systemClock },
      process: () => meter.read(),
      history: { position: awayHere },
      ...options.operations,
    },
    ...(options.sharedCounts && { sharedCounts: options.sharedCounts }),
    lagMs: options.lagMs ?? (() => 0),
    readiness: options.readiness ?? (async () => ({ missing: [], degraded: [] })),
    settings: {
      ...DEFAULT_HTTP_SETTINGS,
      ...options.http,
      rateLimits: { ...DEFAULT_HTTP_SETTINGS.rateLimits, ...options.http?.rateLimits },
    },
  })
  app.setSerializerCompiler(checkedSerializer)
  checkTexts(app)
  if (options.onRoute) app.addHook('onRoute', options.onRoute)
  await app.ready()

  let seeded = 0
  return {
    app,
    gateway,
    registry,
    logLines,
    commands,
    get: (url, headers = {}) => app.inject({ method: 'GET', url, headers }),
    post: (url, body, headers = {}) =>
      app.inject({ method: 'POST', url, headers, ...(body && { payload: body }) }),
    async seed(changes = {}) {
      seeded += 1
      const order = { ...freshOrder(seeded), ...changes }
      await viewsOf(views).put(order)
      return order
    },
    listen: async () => Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port),
    async close() {
      await app.close()
      commands.close()
      stop.abort()
      await followed
      await store.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** A plain ask, LIVE, verified just now. */
function freshOrder(seed: number): OrderRecord {
  const candidates = bookOf(50, seed)
  const ask = candidates.find(({ kept }) => kept.inspection.orderClass === 'ASK_ANYONECANPAY')!
  const now = new Date().toISOString()
  const { protocolId: _market, token: _token, ...order } = ask
  return {
    ...order,
    state: 'LIVE',
    reason: 'verified',
    verifiedAt: now,
    validation: { ...order.validation, checkedAt: now },
    kept: { ...order.kept, inspection: { ...order.kept.inspection, safety: 'PUBLIC_RACEABLE' } },
  }
}
