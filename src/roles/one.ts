import type { FastifyInstance } from 'fastify'
import { openSignaturePool } from '../adapters/embedded/signature-pool.ts'
import { DEFAULT_HTTP_SETTINGS } from '../http/app.ts'
import { circleRoutes } from '../http/circles/routes.ts'
import { meterEventLoopLag } from '../http/event-loop-lag.ts'
import { buildMessageApp } from '../http/message-app.ts'
import { pairingRoutes } from '../http/pairing/routes.ts'
import { buildProbeApp } from '../http/probe-app.ts'
import type { Config, Role } from '../schemas/config.ts'
import { type Probe, roleReadiness } from '../streams/role-readiness.ts'
import { runActors } from './actors.ts'
import { openAuthorities } from './authorities.ts'
import { runCircles } from './circles.ts'
import { Closer } from './closer.ts'
import { type Foundation, type Given, layFoundation } from './foundation.ts'
import { DRAIN_MS, gatewayApp, openGateway } from './gateway.ts'
import { runIngest } from './ingest.ts'
import { LocalStore } from './local-store.ts'
import { openBook } from './open-book.ts'
import { openLog } from './open-log.ts'
import { runPairing } from './pairing.ts'
import { runPool } from './pool.ts'
import {
  authorityProbes,
  historyProbe,
  logProbe,
  pairingProbe,
  probesOf,
  viewsProbe,
} from './probes.ts'
import { runProjector } from './projector.ts'
import { feedLogOf } from './publish-feed.ts'
import { READINESS, type Served, serve } from './serve.ts'

export interface RunningRole extends Served {
  close(): Promise<void>
}

/** One part of the service; it meets the others in Kafka, Redis and ClickHouse. Resolves when it serves. */
export async function runOne(
  config: Config & { ROLE: Exclude<Role, 'all'> },
  given: Given = {},
): Promise<RunningRole> {
  const foundation = layFoundation(config, given)
  const { closer } = foundation
  try {
    const served = await PARTS[config.ROLE](foundation)
    return { ...served, close: () => closer.close() }
  } catch (error) {
    await closer.close().catch(() => undefined)
    throw error
  }
}

const PARTS: Record<Exclude<Role, 'all'>, (foundation: Foundation) => Promise<Served>> = {
  gateway: serveGateway,
  ingest: serveIngest,
  actors: serveActors,
  projector: serveProjector,
  pairing: servePairing,
  circles: serveCircles,
}

async function serveGateway(foundation: Foundation): Promise<Served> {
  const local = new LocalStore(foundation)
  const { log } = await openLog(foundation, local)
  const book = await openBook(foundation, local)
  const { authorities } = openOwnAuthorities(foundation)
  const signatures = openSignatures(foundation)
  const gateway = openGateway(foundation, { log, book, authorities, signatures })
  runPool(foundation, gateway, log)
  const readiness = roleReadiness(probesOf({ log, book, authorities }), READINESS)
  return await serve(foundation, gatewayApp(foundation, gateway, { book, authorities }, readiness))
}

async function serveIngest(foundation: Foundation): Promise<Served> {
  const opened = await openLog(foundation, new LocalStore(foundation))
  const { authorities } = openOwnAuthorities(foundation)
  const probe = await runIngest(foundation, opened, authorities, () => openSignatures(foundation))
  return await serveProbes(foundation, [
    logProbe(opened.log),
    probe,
    ...authorityProbes(authorities),
  ])
}

async function serveActors(foundation: Foundation): Promise<Served> {
  const { log } = await openLog(foundation, new LocalStore(foundation))
  const { authorities, closeAuthorities } = openOwnAuthorities(foundation)
  const signatures = openSignatures(foundation)
  runActors(foundation, { log, authorities, signatures, closeAuthorities })
  return await serveProbes(foundation, [logProbe(log), ...authorityProbes(authorities)])
}

async function serveProjector(foundation: Foundation): Promise<Served> {
  const local = new LocalStore(foundation)
  const { log } = await openLog(foundation, local)
  const book = await openBook(foundation, local)
  runProjector(foundation, { log, ...book })
  return await serveProbes(foundation, [viewsProbe(log, book.views), historyProbe(book.history)])
}

async function servePairing(foundation: Foundation): Promise<Served> {
  const { authorities } = openOwnAuthorities(foundation)
  const local = new LocalStore(foundation)
  const openFeedLog = feedLogOf(foundation, local)
  const { service } = await runPairing(foundation, local, authorities, openFeedLog)
  return await serveMessages(foundation, [pairingProbe(service)], (app) =>
    pairingRoutes(app, service),
  )
}

async function serveCircles(foundation: Foundation): Promise<Served> {
  const { authorities } = openOwnAuthorities(foundation)
  const local = new LocalStore(foundation)
  const openFeedLog = feedLogOf(foundation, local)
  const { circles, probe } = await runCircles(foundation, local, authorities, openFeedLog)
  return await serveMessages(
    foundation,
    [probe, ...authorityProbes({ ...authorities, index: null })],
    (app) => circleRoutes(app, { circles }),
  )
}

function serveMessages(
  foundation: Foundation,
  probes: readonly Probe[],
  addRoutes: (app: FastifyInstance) => void,
): Promise<Served> {
  const { config, logger, metrics, closer } = foundation
  const lag = meterEventLoopLag()
  closer.add(() => lag.close())
  const app = buildMessageApp({
    lagMs: () => lag.read(),
    addRoutes,
    logger,
    registry: metrics.registry,
    readiness: roleReadiness(probes, READINESS),
    settings: {
      ...DEFAULT_HTTP_SETTINGS,
      drainMs: DRAIN_MS,
      trustProxy: config.TRUST_PROXY ?? [],
      maxConnections: config.MAX_CONNECTIONS,
    },
  })
  return serve(foundation, app)
}

function serveProbes(foundation: Foundation, probes: readonly Probe[]): Promise<Served> {
  const readiness = roleReadiness(probes, READINESS)
  const { logger } = foundation
  return serve(foundation, buildProbeApp({ logger, readiness, drainMs: DRAIN_MS }))
}

function openOwnAuthorities({ config, clock, metrics, closer }: Foundation) {
  const authorityCloser = new Closer()
  const closeAuthorities = () => authorityCloser.close()
  closer.add(closeAuthorities)
  return { authorities: openAuthorities(config, clock, authorityCloser, metrics), closeAuthorities }
}

function openSignatures({ config, closer }: Foundation) {
  const signatures = openSignaturePool({ threads: config.SIGNATURE_THREADS })
  closer.add(() => signatures.close())
  return signatures
}
