import { serialisedOutpoint } from '../../domain/chain/outpoint.ts'
import { taggedHash } from '../../domain/script/tagged-hash.ts'
import type { Txid } from '../../schemas/scalars.ts'

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex')
const internal = (txid: Txid): Buffer => bytesOf(txid).reverse()

/** The key of the object that a CREATE in `txid` (display order) puts on output `vout`. */
export function objectKeyOf(txid: Txid, vout: number, contentHash: Uint8Array): string {
  const place = serialisedOutpoint({ txid, vout })
  return taggedHash('pairing/object', place, contentHash).toString('hex')
}

/** The id of the pair that a PAIR in `txid` (display order) makes of two objects, in any order. */
export function pairIdOf(oneKey: string, otherKey: string, txid: Txid): string {
  const [lower, higher] = oneKey < otherKey ? [oneKey, otherKey] : [otherKey, oneKey]
  const parts = [bytesOf(lower), bytesOf(higher), internal(txid)]
  return taggedHash('pairing/pair', ...parts).toString('hex')
}
