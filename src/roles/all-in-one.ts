import type { SweepPace } from '../actors/sweep/audit-sweep.ts'
import type { SignaturePool } from '../adapters/embedded/threads/signature-pool.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { EventLog } from '../ports/log/event-log.ts'
import type { Config } from '../schemas/config/config.ts'
import type { IngestOptions } from '../streams/ingest/ingest-options.ts'
import { roleReadiness } from '../streams/readiness/role-readiness.ts'
import { Closer } from './context/closer.ts'
import {
  type ContextOverrides,
  createContext,
  type RuntimeContext,
} from './context/runtime-context.ts'
import { READINESS, type Served, serve } from './context/serve.ts'
import { lendParts } from './lend-parts.ts'
import { meterReadiness } from './observe/readiness-metrics.ts'
import {
  type OpenAuthorities,
  openAuthorities,
  openSignatures,
  watchAuthorities,
} from './open/authorities.ts'
import { LocalStore } from './open/local-store.ts'
import { openLog } from './open/open-log.ts'
import { openReadModels, type ReadModels } from './open/open-read-models.ts'
import { runActors } from './parts/actors.ts'
import { runCircles } from './parts/circles.ts'
import { openCustomers } from './parts/customers.ts'
import { gatewayApp, openGateway } from './parts/gateway.ts'
import { runIngest } from './parts/ingest.ts'
import { type RunningPairing, runPairing } from './parts/pairing.ts'
import { runPool } from './parts/pool.ts'
import { probesOf } from './parts/probes.ts'
import { runProjector } from './parts/projector.ts'
import { runWebhooks } from './parts/webhooks.ts'

export interface Running extends Served {
  gateway: Gateway
  authorities: OpenAuthorities
  stores: ReadModels & { log: EventLog }
  /** Null if PAIRING_ENABLED is false. */
  pairing: RunningPairing | null
  close(): Promise<void>
}

export interface AllInOneOverrides extends ContextOverrides {
  /** Opened and closed by the caller; absent: those that the configuration names are opened. */
  authorities?: OpenAuthorities
  /** Opened and closed by the caller; absent: opened with the threads of the configuration. */
  signatures?: SignaturePool
  sweepPace?: SweepPace
  ingestPace?: Partial<IngestOptions>
  /** The delay of the event loop, by which load is shed, milliseconds; absent: it is measured. */
  lagMs?: () => number
}

/** ROLE=all: every part in one process, on the stores that the configuration names. */
export async function runAllInOne(
  config: Config,
  surroundings: AllInOneOverrides = {},
): Promise<Running> {
  const context = createContext(config, surroundings)
  try {
    return await openAll(context, surroundings)
  } catch (error) {
    await context.closer.close().catch(() => undefined)
    throw error
  }
}

async function openAll(
  context: RuntimeContext,
  { sweepPace, ingestPace, lagMs, ...given }: AllInOneOverrides,
): Promise<Running> {
  const { config, clock, metrics, closer } = context
  const local = new LocalStore(context)
  const opened = await openLog(context, local)
  const book = await openReadModels(context, local)
  const { log } = opened
  const authorityCloser = new Closer()
  closer.add(() => authorityCloser.close())
  const authorities = given.authorities ?? openAuthorities(config, clock, authorityCloser, metrics)
  watchAuthorities(context, authorities)
  const signatures = given.signatures ?? openSignatures(context)
  const customers = openCustomers(context, log)
  const gateway = openGateway(context, { log, book, authorities, signatures, customers })
  // Opening chDB blocks the event loop: it is done before any client can be waiting.
  await book.history.probe().catch(() => undefined)
  runProjector(context, { log, ...book })
  const { changes } = gateway
  runWebhooks(context, { ...opened, ...book, changes })
  runPool(context, gateway, log)
  const intake = await runIngest(context, opened, authorities, () => signatures, ingestPace)
  runActors(context, {
    log,
    authorities,
    signatures,
    closeAuthorities: () => authorityCloser.close(),
    ...(sweepPace ? { sweepPace } : {}),
  })
  const openFeedLog = async () => opened
  const pairing = config.PAIRING_ENABLED
    ? await runPairing(context, local, authorities, openFeedLog)
    : null
  const folded = config.CIRCLES_ENABLED
    ? await runCircles(context, local, authorities, openFeedLog)
    : null
  const readiness = roleReadiness(probesOf({ log, book, authorities }), READINESS)
  meterReadiness(metrics, readiness)
  const app = gatewayApp(
    context,
    gateway,
    {
      ...{ browser: opened.browser, book, authorities, customers, intake, lagMs },
      pairing: pairing?.service,
      circles: folded?.circles,
    },
    readiness,
  )
  const served = await serve(context, app)
  await lendParts(context, { ...opened, local, book, authorities, api: served.address })
  const stores = { ...book, log }
  return { ...served, gateway, authorities, stores, pairing, close: () => closer.close() }
}
