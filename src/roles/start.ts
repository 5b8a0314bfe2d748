import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import { importOrder } from '../gateway/intake/import-order.ts'
import { type Config, usesDevnet } from '../schemas/config/config.ts'
import type { Misgiving } from '../schemas/config/faults.ts'
import { type Running, runAllInOne } from './all-in-one.ts'
import { type BannerFacts, banner, roleBanner } from './banner.ts'
import { playOn } from './devnet/devnet-control.ts'
import { seedBook, seedProtocols } from './devnet/devnet-seed.ts'
import { patiently } from './devnet/patient-import.ts'
import { SeedMark } from './devnet/seed-mark.ts'
import { BUILD_INFO } from './observe/build-info.ts'
import { openProcessLog } from './observe/logger.ts'
import { type RunningRole, runSingleRole } from './single-role.ts'

/** A process that has not closed this long after a signal ends at once. */
const CLOSE_WITHIN_MS = 20_000

/** Where the configuration is from, and who is to read of it. */
export interface Provenance {
  /** The file that was read beside the environment. */
  environmentFile: string | null
  misgivings: readonly Misgiving[]
  /** What begins a command here. */
  command: string
}

/**
 * Runs until SIGTERM or SIGINT, and prints what runs where. An uncaught error is logged and ends
 * the process with code 1, after everything else was closed.
 */
export async function start(
  config: Config,
  { environmentFile, misgivings, command }: Provenance,
): Promise<void> {
  const { logger, isPretty, begin } = openProcessLog(config, process.stdout)
  const { ROLE } = config
  const from = environmentFile === null ? {} : { environmentFile }
  logger.info({ role: ROLE, ...BUILD_INFO, ...from }, 'starting')
  for (const { what, cure } of misgivings) logger.warn({ cure }, what)
  if (ROLE !== 'all') {
    const running = await runSingleRole({ ...config, ROLE }, { logger })
    closeAtSignals(running, logger)
    process.stdout.write(roleBanner(running, { ...config, ROLE }))
    begin()
    return
  }
  const mark = usesDevnet(config) ? new SeedMark(config) : null
  const running = await runAllInOne(config, { logger })
  const closing = closeAtSignals(running, logger)
  try {
    await seedNew(running, { mark, config, logger })
    process.stdout.write(await bannerOf(running, { config, isPretty, command }))
    begin()
  } catch (error) {
    // A signal may arrive while the book is seeded.
    if (!closing.begun) throw error
  }
}

function closeAtSignals(running: RunningRole, logger: Logger): { begun: boolean } {
  const closing = { begun: false }
  const atOnce = {
    onTimeout: (ms: number) => endAtOnce(logger, `not closed within ${ms} ms`),
    onSecondSignal: (signal: string) => endAtOnce(logger, `a second ${signal}`),
    onSecondError: (err: unknown) => endAtOnce(logger, 'a second error', err),
  }
  closeWithGrace({ delay: CLOSE_WITHIN_MS, logger, ...atOnce }, async ({ err, signal }) => {
    closing.begun = true
    if (err) logger.fatal({ err }, 'uncaught error, stopping')
    else logger.info({ signal }, 'stopping')
    await running.close()
    logger.info('stopped')
  })
  return closing
}

/**
 * As a kill from outside, which every store survives: an exit in order would end the threads of native
 * libraries while they work, and crash.
 */
function endAtOnce(logger: Logger, why: string, err?: unknown): void {
  logger.fatal({ err }, `${why}: ending at once`)
  process.kill(process.pid, 'SIGKILL')
}

interface Seeding {
  /** Null: it is no devnet. */
  mark: SeedMark | null
  config: Config
  logger: Logger
}

/** A new devnet gets a small book, objects and circles to explore. */
async function seedNew(
  { authorities: { devnet }, gateway }: Running,
  { mark, config: { PAIRING_MAGIC, DATA_DIR }, logger }: Seeding,
): Promise<void> {
  if (!devnet || !mark || mark.state === 'whole') return
  if (mark.state === 'begun') {
    const cure = `stop it, remove ${DATA_DIR}, and start it again`
    logger.warn({ cure }, 'the first start of this devnet ended early: it lacks orders and objects')
    return
  }
  mark.begin()
  const { signal } = new AbortController()
  await seedBook(
    devnet,
    patiently((request) => importOrder(gateway, request, 'devnet', signal)),
  )
  await seedProtocols(playOn(devnet, PAIRING_MAGIC))
  mark.end()
}

async function bannerOf(
  running: Running,
  started: Pick<BannerFacts, 'config' | 'isPretty' | 'command'>,
): Promise<string> {
  const { address, metricsAddress, authorities, stores, pairing } = running
  const live = { sort: 'newest', includeWithdrawn: false, state: 'LIVE', limit: 1 } as const
  // A large book in Redis may still be loading.
  const page = await stores.views.page(live).catch(() => null)
  const historyFault = await stores.history.probe().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  return banner({
    ...started,
    address,
    metricsAddress,
    isDevnet: authorities.devnet !== null,
    historyFault,
    pairing: pairing && (pairing.hasTwin ? 'both' : 'one'),
    orderId: page?.orders[0]?.order.id ?? null,
  })
}
