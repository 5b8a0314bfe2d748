import type { Logger } from 'pino'
import type { Door } from '../../adapters/door/door.ts'
import { systemClock } from '../../adapters/embedded/system-clock.ts'
import type { OnPoint } from '../../ports/log/crash-points.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Config } from '../../schemas/config/config.ts'
import { openLogger } from '../observe/logger.ts'
import { type Metrics, openMetrics } from '../observe/metrics.ts'
import { needsOfRole } from '../rights/role-needs.ts'
import type { ServerNeeds } from '../rights/server-needs.ts'
import { Closer } from './closer.ts'
import { faultReporter, type ReportFault } from './fault-reporter.ts'
import { Outages } from './outages.ts'

/** What every part of the service depends on. Disposing of it closes what its closer was given. */
export interface RuntimeContext extends AsyncDisposable {
  config: Config
  clock: Clock
  logger: Logger
  metrics: Metrics
  closer: Closer
  /** What this process may open, and what for. */
  needs: readonly ServerNeeds[]
  /** The service that has DATA_DIR open, which a command asks for what is in it; null: this process opens it. */
  door: Door | null
  onPoint?: OnPoint
  /** The lines of the log about parts that are away. */
  outages: Outages
  report: ReportFault
  /** Reports a fault that a part recovered from. */
  fault(part: string): (error: unknown) => void
}

export interface ContextOverrides {
  clock?: Clock
  logger?: Logger
  onPoint?: OnPoint
  /** By default the needs of the configuration's role. */
  needs?: readonly ServerNeeds[]
  door?: Door | null
}

export function createContext(config: Config, given: ContextOverrides = {}): RuntimeContext {
  const { clock = systemClock, logger = openLogger(config), onPoint } = given
  const { needs = needsOfRole(config.ROLE), door = null } = given
  const metrics = openMetrics()
  const closer = new Closer()
  const outages = new Outages({ clock, logger, closer, metrics })
  const report = faultReporter({ logger, closer, metrics, outages })
  return {
    config,
    clock,
    logger,
    metrics,
    closer,
    needs,
    door,
    [Symbol.asyncDispose]: () => closer.close(),
    ...(onPoint ? { onPoint } : {}),
    outages,
    report,
    fault: (part) => (error) => report(part, error, 'recovered from error'),
  }
}
