import { hash } from 'node:crypto'

/** SHA-256 twice, as Bitcoin hashes headers, transactions and pairs of a Merkle tree. */
export const hash256 = (bytes: Uint8Array): Buffer =>
  hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer')

/** A hash in display order: the reverse of its bytes, lowercase hex. */
export const displayOrder = (bytes: Uint8Array): string =>
  Buffer.from(bytes).reverse().toString('hex')

/** The double hash as it is shown: of a header the block hash, of a transaction its txid. */
export const displayHash = (bytes: Uint8Array): string => displayOrder(hash256(bytes))
