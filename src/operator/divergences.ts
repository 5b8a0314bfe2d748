import { readDivergences } from '../adapters/embedded/stores/divergences.ts'
import { storeDirectory } from '../roles/open/local-store.ts'
import type { Divergence } from '../schemas/api/pairing.ts'
import type { Config } from '../schemas/config/config.ts'
import { assertStore } from './log/open-existing.ts'

/** The pipelines' disagreements, newest first; the service may be running. Throws `NoStoreError`. */
export async function listDivergences(config: Config): Promise<Divergence[]> {
  assertStore(config)
  return readDivergences(storeDirectory(config))
}

/** A divergence on one line: when, where, in which field, and who signed for which value. */
export const divergenceLine = ({ firstSeenAt, height, field, own, peer }: Divergence): string =>
  `${firstSeenAt}  height ${height}  ${field}  ` +
  [own, peer].map((one) => `${one.pipeline} ${one.keyId} ${one.tuple[field]}`).join('  ')
