import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Statistics } from '../../ports/views/statistics.ts'
import { openHistoryToAsk } from '../../roles/open/open-history.ts'
import type { Config } from '../../schemas/config/config.ts'
import { NoStoreError, operatorContext, serviceBeside } from '../log/open-existing.ts'

/**
 * Runs a command on the history that the configuration names. chDB's folder is opened only if it is
 * there, and while no service has it open.
 *
 * @throws NoStoreError @throws HistoryUnavailableError
 */
export async function withStatistics<T>(
  config: Config,
  command: 'query' | 'export',
  work: (statistics: Statistics, now: number) => Promise<T>,
): Promise<T> {
  if (config.CLICKHOUSE_URL === undefined && !existsSync(join(config.DATA_DIR, 'history')))
    throw new NoStoreError(
      `there is no history in ${config.DATA_DIR}: set DATA_DIR to the service's folder, or CLICKHOUSE_URL`,
    )
  // Why the history cannot be opened is reported once, by the error of the first question.
  await using context = operatorContext({ ...config, LOG_LEVEL: 'fatal' }, command, {
    door: await serviceBeside(config),
  })
  const history = await openHistoryToAsk(context, 'read')
  return await work(history.statistics(), context.clock.now())
}
