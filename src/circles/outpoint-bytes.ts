import { parseOutpoint } from '../domain/outpoint.ts'
import { taggedHash } from '../domain/tagged-hash.ts'

/** TaggedHash("circles/lineage", txid in internal order ‖ vout as u32 LE) of the first input. */
export const lineageIdOf = (genesisOutpoint: string): string =>
  taggedHash('circles/lineage', serialised(genesisOutpoint)).toString('hex')

/** As `RawTransaction.spentKey`: the 36 bytes of an outpoint, one character each. */
export const spentKeyOf = (outpoint: string): string => serialised(outpoint).toString('latin1')

function serialised(outpoint: string): Buffer {
  const { txid, vout } = parseOutpoint(outpoint)
  const bytes = Buffer.alloc(36)
  Buffer.from(txid, 'hex').reverse().copy(bytes)
  bytes.writeUInt32LE(vout, 32)
  return bytes
}
