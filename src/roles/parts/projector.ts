import type { EventLog } from '../../ports/log/event-log.ts'
import { projectHistory } from '../../projections/project-history.ts'
import { projectViews } from '../../projections/project-views.ts'
import type { ProjectionFailure } from '../../projections/retry.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { supervise } from '../context/supervise.ts'
import { meterViewsLag } from '../observe/projection-lag.ts'
import type { ReadModels } from '../open/open-read-models.ts'

/** Folds the lifecycle into the views and the history until the closer ends. */
export function runProjector(
  context: RuntimeContext,
  { log, views, history }: { log: EventLog } & Pick<ReadModels, 'views' | 'history'>,
): void {
  const { clock, metrics, report } = context
  meterViewsLag(metrics, { log, views })
  const failure = (part: string) => ({
    onFailure: ({ projection, error, retryInMs }: ProjectionFailure) =>
      report(part, error, 'projection failed, retrying', { projection, retryInMs }),
  })
  supervise('views', context, (signal) =>
    projectViews({ log, views, clock, ...failure('views') }, signal),
  )
  supervise('history', context, (signal) =>
    projectHistory({ log, history, clock, ...failure('history') }, signal),
  )
}
