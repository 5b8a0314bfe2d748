import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../adapters/embedded/system-clock.ts'
import type { Closer } from '../../roles/context/closer.ts'
import { knownHeadKeys } from '../../roles/keys/head-keys.ts'
import { openAuthorities } from '../../roles/open/authorities.ts'
import { openHistoryToAsk } from '../../roles/open/open-history.ts'
import { openViews } from '../../roles/open/open-read-models.ts'
import { usesRedis } from '../../roles/open/redis-address.ts'
import { type Config, usesDevnet } from '../../schemas/config/config.ts'
import { withStillStores } from '../log/copied-stores.ts'
import { operatorContext, serviceBeside, withExistingLog } from '../log/open-existing.ts'
import type { OnProgress } from '../log/progress.ts'
import { audit } from './audit.ts'
import { proofsHere } from './proofs-here.ts'
import type { AuditReport } from './report.ts'
import { type AuditedHistory, stillHistory } from './still-history.ts'

/**
 * Audits what the configuration names: the log of Kafka or of DATA_DIR, its views and its history.
 * Beside a service that has DATA_DIR open it reads the history first, while that holds still, and then
 * copies the stores as they are at one moment; views in Redis, which it writes on, are not compared.
 * Throws what `withExistingLog` throws; creates nothing.
 */
export async function auditStore(config: Config, onProgress?: OnProgress): Promise<AuditReport> {
  const kept = await historyBeside(config)
  return await withStillStores(config, (stores) =>
    withExistingLog(stores, 'audit', async ({ context, local, log, ingestStore }) => {
      // A copy of the log is of one moment, and Redis is of now.
      const isCopied = kept === null || !usesRedis(config)
      const views = isCopied ? (await openViews(context, local)).views : null
      const history = kept ?? (await openHistoryToAsk(context, 'read'))
      const { node, index } = openExisting(stores, context.closer)
      const headKeys = knownHeadKeys(config)
      const own = { network: config.BITCOIN_NETWORK, proofs: proofsHere, headKeys }
      const parts = { log, views, history, ingestStore, node, index, ...own }
      return await audit(parts, onProgress)
    }),
  )
}

/** The history of a service that has DATA_DIR open, read whole; null: there is no service. */
async function historyBeside(config: Config): Promise<AuditedHistory | null> {
  await using context = operatorContext(config, 'audit', { door: await serviceBeside(config) })
  const { door, clock } = context
  if (!door) return null
  const partitions = Array.from({ length: door.service.partitions }, (_, one) => one)
  const history = await openHistoryToAsk(context, 'read')
  return await stillHistory(history, partitions, clock)
}

/** Opening a devnet that this store never had would create one, without the store's orders. */
function openExisting(config: Config, closer: Closer) {
  const isMissing = usesDevnet(config) && !existsSync(join(config.DATA_DIR, 'devnet'))
  return isMissing ? { node: null, index: null } : openAuthorities(config, systemClock, closer)
}
