import { cursorCodec } from '../gateway/cursor.ts'
import { DEFAULT_HTTP_SETTINGS } from '../http/app.ts'
import { circleRoutes } from '../http/circles/routes.ts'
import { meterEventLoopLag } from '../http/event-loop-lag.ts'
import { buildMessageApp, type MessageAppDeps } from '../http/message-app.ts'
import { pairingRoutes } from '../http/pairing/routes.ts'
import { buildProbeApp } from '../http/probe-app.ts'
import type { Config, Role } from '../schemas/config/config.ts'
import { type Probe, roleReadiness } from '../streams/readiness/role-readiness.ts'
import { Closer } from './context/closer.ts'
import {
  type ContextOverrides,
  createContext,
  type RuntimeContext,
} from './context/runtime-context.ts'
import { READINESS, type Served, serve } from './context/serve.ts'
import { cursorKeys } from './keys/cursor-keys.ts'
import { meterReadiness } from './observe/readiness-metrics.ts'
import { openAuthorities, openSignatures, watchAuthorities } from './open/authorities.ts'
import { LocalStore } from './open/local-store.ts'
import { openLog } from './open/open-log.ts'
import { openReadModels, openViews } from './open/open-read-models.ts'
import { runActors } from './parts/actors.ts'
import { runCircles } from './parts/circles.ts'
import { openCustomers } from './parts/customers.ts'
import { DRAIN_MS, gatewayApp, openGateway, rateLimitsOf } from './parts/gateway.ts'
import { runIngest } from './parts/ingest.ts'
import { runPairing } from './parts/pairing.ts'
import { runPool } from './parts/pool.ts'
import {
  authorityProbes,
  historyProbe,
  logProbe,
  pairingProbe,
  probesOf,
  viewsProbe,
} from './parts/probes.ts'
import { runProjector } from './parts/projector.ts'
import { feedLogOf } from './parts/publish-feed.ts'
import { runWebhooks } from './parts/webhooks.ts'

export interface RunningRole extends Served {
  close(): Promise<void>
}

/** One part of the service; the parts share Kafka, Redis and ClickHouse. Resolves when it is up. */
export async function runSingleRole(
  config: Config & { ROLE: Exclude<Role, 'all'> },
  given: ContextOverrides = {},
): Promise<RunningRole> {
  const context = createContext(config, given)
  const { closer } = context
  try {
    const served = await PARTS[config.ROLE](context)
    return { ...served, close: () => closer.close() }
  } catch (error) {
    await closer.close().catch(() => undefined)
    throw error
  }
}

const PARTS: Record<Exclude<Role, 'all'>, (context: RuntimeContext) => Promise<Served>> = {
  gateway: serveGateway,
  ingest: serveIngest,
  actors: serveActors,
  projector: serveProjector,
  webhooks: serveWebhooks,
  pairing: servePairing,
  circles: serveCircles,
}

/** How long a gateway waits for Kafka at its start, milliseconds. Without it, it answers reads alone. */
const WITHOUT_KAFKA_MS = 10_000

async function serveGateway(context: RuntimeContext): Promise<Served> {
  const local = new LocalStore(context)
  const { log, browser } = await openLog(context, local, { withoutAfterMs: WITHOUT_KAFKA_MS })
  const book = await openReadModels(context, local)
  const { authorities } = openOwnAuthorities(context)
  const signatures = openSignatures(context)
  const customers = openCustomers(context, log)
  const gateway = openGateway(context, { log, book, authorities, signatures, customers })
  runPool(context, gateway, log)
  const readiness = roleReadiness(probesOf({ log, book, authorities }), READINESS)
  meterReadiness(context.metrics, readiness)
  return await serve(
    context,
    gatewayApp(context, gateway, { browser, book, authorities, customers }, readiness),
  )
}

async function serveIngest(context: RuntimeContext): Promise<Served> {
  const opened = await openLog(context, new LocalStore(context))
  const { authorities } = openOwnAuthorities(context)
  await runIngest(context, opened, authorities, () => openSignatures(context))
  return await serveProbes(context, [logProbe(opened.log), ...authorityProbes(authorities)])
}

async function serveActors(context: RuntimeContext): Promise<Served> {
  const { log } = await openLog(context, new LocalStore(context))
  const { authorities, closeAuthorities } = openOwnAuthorities(context)
  const signatures = openSignatures(context)
  runActors(context, { log, authorities, signatures, closeAuthorities })
  return await serveProbes(context, [logProbe(log), ...authorityProbes(authorities)])
}

async function serveProjector(context: RuntimeContext): Promise<Served> {
  const local = new LocalStore(context)
  const { log } = await openLog(context, local)
  const book = await openReadModels(context, local)
  runProjector(context, { log, ...book })
  return await serveProbes(context, [viewsProbe(log, book.views), historyProbe(book.history)])
}

async function serveWebhooks(context: RuntimeContext): Promise<Served> {
  const local = new LocalStore(context)
  const opened = await openLog(context, local)
  const { views, webhookProgress } = await openViews(context, local)
  runWebhooks(context, { ...opened, views, webhookProgress })
  return await serveProbes(context, [logProbe(opened.log), viewsProbe(opened.log, views)])
}

async function servePairing(context: RuntimeContext): Promise<Served> {
  const { authorities } = openOwnAuthorities(context, NODE_ALONE)
  const local = new LocalStore(context)
  const openFeedLog = feedLogOf(context, local)
  const { service } = await runPairing(context, local, authorities, openFeedLog)
  const cursors = cursorCodec(cursorKeys(context.config))
  return await serveMessages(context, [pairingProbe(service)], (app, limiters) =>
    pairingRoutes(app, service, {
      operators: context.config.OPERATOR_TOKENS ?? [],
      limiters,
      cursors,
      now: () => context.clock.now(),
    }),
  )
}

async function serveCircles(context: RuntimeContext): Promise<Served> {
  const { authorities } = openOwnAuthorities(context, NODE_ALONE)
  const local = new LocalStore(context)
  const openFeedLog = feedLogOf(context, local)
  const { circles, probe } = await runCircles(context, local, authorities, openFeedLog)
  const cursors = cursorCodec(cursorKeys(context.config))
  return await serveMessages(context, [probe, ...authorityProbes(authorities)], (app) =>
    circleRoutes(app, { circles, cursors }),
  )
}

function serveMessages(
  context: RuntimeContext,
  probes: readonly Probe[],
  addRoutes: MessageAppDeps['addRoutes'],
): Promise<Served> {
  const { config, clock, logger, metrics, closer } = context
  const readiness = roleReadiness(probes, READINESS)
  meterReadiness(metrics, readiness)
  const lag = meterEventLoopLag()
  closer.add(() => lag.close())
  const app = buildMessageApp({
    lagMs: () => lag.read(),
    addRoutes,
    clock,
    logger,
    registry: metrics.registry,
    readiness,
    settings: {
      ...DEFAULT_HTTP_SETTINGS,
      drainMs: DRAIN_MS,
      trustProxy: config.TRUST_PROXY ?? [],
      allowedOrigins: config.ALLOWED_ORIGINS ?? [],
      maxConnections: config.MAX_CONNECTIONS,
      logClients: config.LOG_CLIENTS,
      rateLimits: rateLimitsOf(config),
      clientsAtOnce: config.RATE_LIMIT_CLIENTS_AT_ONCE,
    },
  })
  app.addHook('onListen', async () => lag.begin())
  return serve(context, app)
}

function serveProbes(context: RuntimeContext, probes: readonly Probe[]): Promise<Served> {
  const readiness = roleReadiness(probes, READINESS)
  const { logger, metrics } = context
  meterReadiness(metrics, readiness)
  return serve(context, buildProbeApp({ logger, readiness, drainMs: DRAIN_MS }))
}

/** A fold reads blocks, and asks no index. */
const NODE_ALONE = { ASSET_INDEX_URL: undefined, ASSET_CONTENT_URL: undefined }

function openOwnAuthorities(context: RuntimeContext, without: Partial<Config> = {}) {
  const { clock, metrics, closer } = context
  const config = { ...context.config, ...without }
  const authorityCloser = new Closer()
  const closeAuthorities = () => authorityCloser.close()
  closer.add(closeAuthorities)
  const authorities = openAuthorities(config, clock, authorityCloser, metrics)
  watchAuthorities(context, authorities)
  return { authorities, closeAuthorities }
}
