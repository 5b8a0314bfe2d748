import { readDivergences } from '../../adapters/embedded/divergences.ts'
import type { Divergence } from '../../ports/divergences.ts'
import type { Config } from '../../schemas/config.ts'
import { storeDirectory } from '../local-store.ts'
import { assertStore } from './open-kept.ts'

/** What the pipelines did not agree on, the newest first, beside the service. Throws `NoStore`. */
export async function listDivergences(config: Config): Promise<Divergence[]> {
  assertStore(config)
  return readDivergences(storeDirectory(config))
}

/** A divergence on one line: when, where, in what, and who signed for which. */
export const divergenceLine = ({ firstSeenAt, height, field, own, peer }: Divergence): string =>
  `${firstSeenAt}  height ${height}  ${field}  ` +
  [own, peer].map((one) => `${one.pipeline} ${one.keyId} ${one.tuple[field]}`).join('  ')
