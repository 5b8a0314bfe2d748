import type { SweepPace } from '../actors/audit-sweep.ts'
import { openSignaturePool } from '../adapters/embedded/signature-pool.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { Config } from '../schemas/config.ts'
import { roleReadiness } from '../streams/role-readiness.ts'
import { runActors } from './actors.ts'
import { type OpenAuthorities, openAuthorities } from './authorities.ts'
import { runCircles } from './circles.ts'
import { Closer } from './closer.ts'
import { type Foundation, type Given, layFoundation } from './foundation.ts'
import { gatewayApp, openGateway } from './gateway.ts'
import { runIngest } from './ingest.ts'
import { LocalStore } from './local-store.ts'
import { type Book, openBook } from './open-book.ts'
import { openLog } from './open-log.ts'
import { type RunningPairing, runPairing } from './pairing.ts'
import { runPool } from './pool.ts'
import { probesOf } from './probes.ts'
import { runProjector } from './projector.ts'
import { READINESS, type Served, serve } from './serve.ts'

export interface Running extends Served {
  gateway: Gateway
  authorities: OpenAuthorities
  stores: Book & { log: EventLog; isNew: boolean }
  /** Null: PAIRING_ENABLED is false. */
  pairing: RunningPairing | null
  close(): Promise<void>
}

export interface Surroundings extends Given {
  /** Opened, and closed, by the caller; otherwise those that the configuration names are opened. */
  authorities?: OpenAuthorities
  sweepPace?: SweepPace
}

/** ROLE=all: every part in one process, on the stores that the configuration names. */
export async function runAll(config: Config, surroundings: Surroundings = {}): Promise<Running> {
  const foundation = layFoundation(config, surroundings)
  try {
    return await openAll(foundation, surroundings)
  } catch (error) {
    await foundation.closer.close().catch(() => undefined)
    throw error
  }
}

async function openAll(
  foundation: Foundation,
  { authorities: given, sweepPace }: Surroundings,
): Promise<Running> {
  const { config, clock, metrics, closer } = foundation
  const local = new LocalStore(foundation)
  const opened = await openLog(foundation, local)
  const book = await openBook(foundation, local)
  const { log } = opened
  const authorityCloser = new Closer()
  closer.add(() => authorityCloser.close())
  const authorities = given ?? openAuthorities(config, clock, authorityCloser, metrics)
  const signatures = openSignaturePool({ threads: config.SIGNATURE_THREADS })
  closer.add(() => signatures.close())
  const gateway = openGateway(foundation, { log, book, authorities, signatures })
  // chDB opens in one piece of work that holds the event loop: better before anybody waits for it.
  await book.history.probe().catch(() => undefined)
  runProjector(foundation, { log, ...book })
  runPool(foundation, gateway, log)
  const ingestProbe = await runIngest(foundation, opened, authorities, () => signatures)
  runActors(foundation, {
    log,
    authorities,
    signatures,
    closeAuthorities: () => authorityCloser.close(),
    ...(sweepPace ? { sweepPace } : {}),
  })
  const openFeedLog = async () => opened
  const pairing = config.PAIRING_ENABLED
    ? await runPairing(foundation, local, authorities, openFeedLog)
    : null
  const folded = config.CIRCLES_ENABLED
    ? await runCircles(foundation, local, authorities, openFeedLog)
    : null
  const probes = [...probesOf({ log, book, authorities }), ingestProbe]
  const readiness = roleReadiness(probes, READINESS)
  const app = gatewayApp(
    foundation,
    gateway,
    { book, authorities, pairing: pairing?.service, circles: folded?.circles },
    readiness,
  )
  const served = await serve(foundation, app)
  const stores = { ...book, log, isNew: local.isNew }
  return { ...served, gateway, authorities, stores, pairing, close: () => closer.close() }
}
