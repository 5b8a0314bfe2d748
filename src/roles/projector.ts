import type { EventLog } from '../ports/event-log.ts'
import { projectHistory } from '../projections/project-history.ts'
import { projectViews } from '../projections/project-views.ts'
import type { ProjectionFailure } from '../projections/retry.ts'
import type { Foundation } from './foundation.ts'
import type { Book } from './open-book.ts'
import { supervise } from './supervise.ts'

/** Folds the lifecycle into the views and the history until the closer ends. */
export function runProjector(
  foundation: Foundation,
  { log, views, history }: { log: EventLog } & Pick<Book, 'views' | 'history'>,
): void {
  const { clock, logger, metrics } = foundation
  const failure = (part: string) => ({
    onFailure: ({ projection, error, retryInMs }: ProjectionFailure) => {
      metrics.faults.inc({ part })
      logger.error({ part, projection, err: error, retryInMs }, 'a projection is tried again')
    },
  })
  supervise('views', foundation, (signal) =>
    projectViews({ log, views, clock, ...failure('views') }, signal),
  )
  supervise('history', foundation, (signal) =>
    projectHistory({ log, history, clock, ...failure('history') }, signal),
  )
}
