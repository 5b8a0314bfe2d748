import { join } from 'node:path'
import { openClickHouseHistory } from '../adapters/clickhouse/clickhouse.ts'
import { openHistory as openEmbedded } from '../adapters/embedded/history.ts'
import type { OnPoint } from '../ports/crash-points.ts'
import { type History, HistoryRefused } from '../ports/history.ts'
import type { PairingHistories } from '../ports/pairing-history.ts'
import type { Config } from '../schemas/config.ts'
import type { Closer } from './closer.ts'
import type { Foundation } from './foundation.ts'

type AnyHistory = History & PairingHistories
type Opening = Pick<Foundation, 'config' | 'logger' | 'closer' | 'onPoint'>

/** By what closes it: chDB opens a directory once in a process. */
const OPEN = new WeakMap<Closer, Promise<AnyHistory>>()

/**
 * The history of ClickHouse, or of chDB in DATA_DIR; the same one for all parts of a process. The
 * gateway reads what the projector writes. One that is away is no fault of the start: it is used when
 * it is there.
 *
 * @throws HistoryRefused it can not be used as it is configured, or as it is: the cure is named
 */
export function openHistory(
  foundation: Opening,
  access: 'read' | 'write' = foundation.config.ROLE === 'gateway' ? 'read' : 'write',
): Promise<AnyHistory> {
  const open = OPEN.get(foundation.closer) ?? openNew(foundation, access)
  OPEN.set(foundation.closer, open)
  return open
}

async function openNew(
  { config, logger, closer, onPoint }: Opening,
  access: 'read' | 'write',
): Promise<AnyHistory> {
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

function historyOf(config: Config, access: 'read' | 'write', onPoint?: OnPoint): AnyHistory {
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
