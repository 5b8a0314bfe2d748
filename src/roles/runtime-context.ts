import type { Logger } from 'pino'
import { systemClock } from '../adapters/embedded/system-clock.ts'
import type { OnPoint } from '../ports/log/crash-points.ts'
import type { Clock } from '../ports/runtime/clock.ts'
import type { Config } from '../schemas/config/config.ts'
import { Closer } from './closer.ts'
import { openLogger } from './observe/logger.ts'
import { type Metrics, openMetrics } from './observe/metrics.ts'

/** What every part of the service depends on. */
/** Disposing of it closes what its closer was given. */
export interface RuntimeContext extends AsyncDisposable {
  config: Config
  clock: Clock
  logger: Logger
  metrics: Metrics
  closer: Closer
  onPoint?: OnPoint
  /** Counts and logs a fault that a part recovered from. */
  fault(part: string): (error: unknown) => void
}

export interface ContextOverrides {
  clock?: Clock
  logger?: Logger
  onPoint?: OnPoint
}

export function createContext(config: Config, given: ContextOverrides = {}): RuntimeContext {
  const { clock = systemClock, logger = openLogger(config), onPoint } = given
  const metrics = openMetrics()
  const closer = new Closer()
  return {
    config,
    clock,
    logger,
    metrics,
    closer,
    [Symbol.asyncDispose]: () => closer.close(),
    ...(onPoint ? { onPoint } : {}),
    fault: (part) => (error) => {
      metrics.faults.inc({ part })
      logger.error({ part, err: error }, 'recovered from error')
    },
  }
}
