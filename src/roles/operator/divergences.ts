import { existsSync } from 'node:fs'
import { openDivergences } from '../../adapters/embedded/divergences.ts'
import type { Divergence } from '../../ports/divergences.ts'
import type { Config } from '../../schemas/config.ts'
import { LocalStore } from '../local-store.ts'
import { NoStore, operatorFoundation } from './open-kept.ts'

/**
 * What the pipelines did not agree on, the newest first. Throws `NoStore`, and `StorageUnavailable`
 * while a service has DATA_DIR open.
 */
export async function listDivergences(config: Config): Promise<Divergence[]> {
  const foundation = operatorFoundation(config)
  const local = new LocalStore(foundation)
  if (!existsSync(local.directory)) {
    throw new NoStore(
      `there is no store in ${config.DATA_DIR}: set DATA_DIR to the folder of the service`,
    )
  }
  try {
    return await openDivergences(await local.open()).list()
  } finally {
    await foundation.closer.close()
  }
}

/** A divergence on one line: when, where, in what, and who signed for which. */
export const divergenceLine = ({ firstSeenAt, height, field, own, peer }: Divergence): string =>
  `${firstSeenAt}  height ${height}  ${field}  ` +
  [own, peer].map((one) => `${one.pipeline} ${one.keyId} ${one.tuple[field]}`).join('  ')
