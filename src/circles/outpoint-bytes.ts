import { outpointKey, parseOutpoint, serialisedOutpoint } from '../domain/chain/outpoint.ts'
import { taggedHash } from '../domain/script/tagged-hash.ts'
import type { OutpointText } from '../schemas/scalars.ts'

/** TaggedHash("circles/lineage", txid in internal order ‖ vout as u32 LE) of the first input. */
export const lineageIdOf = (genesisOutpoint: OutpointText): string =>
  taggedHash('circles/lineage', serialisedOutpoint(parseOutpoint(genesisOutpoint))).toString('hex')

/** As `RawTransaction.spentKey`: the 36 bytes of an outpoint, one character each. */
export const spentKeyOf = (outpoint: OutpointText): string => outpointKey(parseOutpoint(outpoint))
