import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../adapters/embedded/system-clock.ts'
import type { Closer } from '../../roles/context/closer.ts'
import { knownHeadKeys } from '../../roles/keys/head-keys.ts'
import { openAuthorities } from '../../roles/open/authorities.ts'
import { openReadModels } from '../../roles/open/open-read-models.ts'
import { type Config, usesDevnet } from '../../schemas/config/config.ts'
import { withExistingLog } from '../log/open-existing.ts'
import type { OnProgress } from '../log/progress.ts'
import { audit } from './audit.ts'
import { proofsHere } from './proofs-here.ts'
import type { AuditReport } from './report.ts'

/**
 * Audits what the configuration names: the log of Kafka or of DATA_DIR, its views and its history.
 * Throws what `withExistingLog` throws; creates nothing.
 */
export const auditStore = (config: Config, onProgress?: OnProgress): Promise<AuditReport> =>
  withExistingLog(config, 'audit', async ({ context, local, log, ingestStore }) => {
    const book = await openReadModels(context, local, 'read')
    const { node, index } = openExisting(config, context.closer)
    const headKeys = knownHeadKeys(config)
    const own = { network: config.BITCOIN_NETWORK, proofs: proofsHere, headKeys }
    return await audit({ ...book, log, ingestStore, node, index, ...own }, onProgress)
  })

/** Opening a devnet that this store never had would create one, without the store's orders. */
function openExisting(config: Config, closer: Closer) {
  const isMissing = usesDevnet(config) && !existsSync(join(config.DATA_DIR, 'devnet'))
  return isMissing ? { node: null, index: null } : openAuthorities(config, systemClock, closer)
}
