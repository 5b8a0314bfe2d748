import { join } from 'node:path'
import { openClickHouseHistory } from '../adapters/clickhouse/clickhouse.ts'
import { openHistory as openEmbedded } from '../adapters/embedded/history.ts'
import type { OnPoint } from '../ports/crash-points.ts'
import { type History, HistoryRefused } from '../ports/history.ts'
import type { Config } from '../schemas/config.ts'
import type { Foundation } from './foundation.ts'

/**
 * The history of ClickHouse, or of chDB in DATA_DIR. The gateway reads what the projector writes.
 * One that is away is no fault of the start: it is used when it is there.
 *
 * @throws HistoryRefused it can not be used as it is configured, or as it is: the cure is named
 */
export async function openHistory(
  { config, logger, closer, onPoint }: Pick<Foundation, 'config' | 'logger' | 'closer' | 'onPoint'>,
  access: 'read' | 'write' = config.ROLE === 'gateway' ? 'read' : 'write',
): Promise<History> {
  const history = historyOf(config, access, onPoint)
  closer.add(() => history.close())
  try {
    await history.probe()
  } catch (error) {
    if (error instanceof HistoryRefused) throw error
    logger.warn({ part: 'history', err: error }, 'the history is away: its rows wait in the log')
  }
  return history
}

function historyOf(config: Config, access: 'read' | 'write', onPoint?: OnPoint): History {
  const points = onPoint ? { onPoint } : {}
  const { CLICKHOUSE_URL: url, CLICKHOUSE_PASSWORD: password } = config
  if (url === undefined)
    return openEmbedded({ directory: join(config.DATA_DIR, 'history'), ...points })
  return openClickHouseHistory({
    url,
    user: config.CLICKHOUSE_USER,
    ...(password === undefined ? {} : { password }),
    database: config.CLICKHOUSE_DATABASE,
    access,
    ...points,
  })
}
