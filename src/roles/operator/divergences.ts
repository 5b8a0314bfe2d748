import { readDivergences } from '../../adapters/embedded/divergences.ts'
import type { Divergence } from '../../ports/divergences.ts'
import type { Config } from '../../schemas/config.ts'
import { storeDirectory } from '../local-store.ts'
import { assertStore } from './open-kept.ts'

/** The pipelines' disagreements, newest first; the service may be running. Throws `NoStore`. */
export async function listDivergences(config: Config): Promise<Divergence[]> {
  assertStore(config)
  return readDivergences(storeDirectory(config))
}

/** A divergence on one line: when, where, in which field, and who signed for which value. */
export const divergenceLine = ({ firstSeenAt, height, field, own, peer }: Divergence): string =>
  `${firstSeenAt}  height ${height}  ${field}  ` +
  [own, peer].map((one) => `${one.pipeline} ${one.keyId} ${one.tuple[field]}`).join('  ')
