import { join } from 'node:path'
import { openClickHouseHistory } from '../../adapters/clickhouse/clickhouse.ts'
import type { SqlHistory } from '../../adapters/clickhouse/history.ts'
import { type AskedHistory, doorHistory } from '../../adapters/door/door-parts.ts'
import { openEmbeddedHistory as openEmbedded } from '../../adapters/embedded/stores/history.ts'
import type { PairingHistories } from '../../ports/folds/pairing-history.ts'
import type { OnPoint } from '../../ports/log/crash-points.ts'
import type { HistorySizes } from '../../ports/log/sizes.ts'
import { type History, HistoryRefusedError } from '../../ports/views/history.ts'
import type { Config } from '../../schemas/config/config.ts'
import type { Closer } from '../context/closer.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { historyUsesOf } from '../rights/needs-of.ts'
import { NeedsNotListedError } from '../rights/server-needs.ts'

type AnyHistory = History &
  HistorySizes &
  PairingHistories &
  Pick<SqlHistory, 'statistics' | 'versions'>
type Access = 'read' | 'write'
type Opening = Pick<RuntimeContext, 'config' | 'needs' | 'outages' | 'closer' | 'onPoint'>

/**
 * The history as a command uses it: that of the service beside it if chDB is open there.
 *
 * @throws HistoryRefusedError
 */
export const openHistoryToAsk = async (
  context: Opening & Pick<RuntimeContext, 'door'>,
  access: Access,
): Promise<AskedHistory> =>
  context.door && context.config.CLICKHOUSE_URL === undefined
    ? doorHistory(context.door)
    : await openHistory(context, access)

/** Keyed by closer: chDB opens a directory only once per process. */
const OPEN = new WeakMap<Closer, Promise<AnyHistory>>()

/**
 * The history of ClickHouse, or of chDB in DATA_DIR; one per process: the gateway reads what the
 * projector writes. If it is unavailable the start does not fail: it is used once it is back.
 *
 * @throws HistoryRefusedError it cannot be used as configured or as found: the message names the
 * cure
 */
export function openHistory(
  context: Opening,
  access: Access = writesTo(context) ? 'write' : 'read',
): Promise<AnyHistory> {
  requireNeeded(context, access)
  const open = OPEN.get(context.closer) ?? openNew(context, access)
  OPEN.set(context.closer, open)
  return open
}

const writesTo = ({ needs }: Opening): boolean => historyUsesOf(needs).some((use) => use !== 'read')

function requireNeeded(context: Opening, access: Access): void {
  const isListed = access === 'write' ? writesTo(context) : historyUsesOf(context.needs).length > 0
  if (!isListed) throw new NeedsNotListedError('The history')
}

async function openNew(
  { config, outages, closer, onPoint }: Opening,
  access: Access,
): Promise<AnyHistory> {
  const history = historyOf(config, access, onPoint)
  closer.add(() => history.close())
  try {
    await history.probe()
  } catch (error) {
    if (error instanceof HistoryRefusedError) throw error
    outages.noticed('history', 'warn', error)
  }
  outages.watch('history', () => history.probe())
  return history
}

function historyOf(config: Config, access: Access, onPoint?: OnPoint): AnyHistory {
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
