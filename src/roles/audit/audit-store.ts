import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../adapters/embedded/system-clock.ts'
import { type Config, usesDevnet } from '../../schemas/config.ts'
import { openAuthorities } from '../authorities.ts'
import type { Closer } from '../closer.ts'
import { openBook } from '../open-book.ts'
import { withKeptLog } from '../operator/open-kept.ts'
import { audit } from './audit.ts'
import type { AuditReport } from './report.ts'

/**
 * Audits what the configuration names: the log of Kafka or of DATA_DIR, its views and its history.
 * Throws what `withKeptLog` throws; it makes nothing that is not there.
 */
export const auditStore = (config: Config): Promise<AuditReport> =>
  withKeptLog(config, async ({ foundation, local, log, ingestStore }) => {
    const book = await openBook(foundation, local, 'read')
    const { node, index } = openKept(config, foundation.closer)
    const network = config.BITCOIN_NETWORK
    return await audit({ ...book, log, ingestStore, node, index, network })
  })

/** A devnet that this store never had would be made by opening it, and know nothing of its orders. */
function openKept(config: Config, closer: Closer) {
  const isMissing = usesDevnet(config) && !existsSync(join(config.DATA_DIR, 'devnet'))
  return isMissing ? { node: null, index: null } : openAuthorities(config, systemClock, closer)
}
