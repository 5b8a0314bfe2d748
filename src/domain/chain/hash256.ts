import { hash } from 'node:crypto'
import type { BlockHash, Txid } from '../../schemas/scalars.ts'

/** SHA-256 twice, as Bitcoin hashes headers, transactions and pairs of a Merkle tree. */
export const hash256 = (bytes: Uint8Array): Buffer => sha256(sha256(bytes))

/** A buffer that `hash` makes itself is memory of its own, and takes longer than the hash. */
const sha256 = (bytes: Uint8Array): Buffer => Buffer.from(hash('sha256', bytes, 'binary'), 'binary')

/** A hash in display order: the reverse of its bytes, lowercase hex. */
export const displayOrder = (bytes: Uint8Array): string =>
  Buffer.from(bytes).reverse().toString('hex')

/** The double hash as it is shown: of a header the block hash, of a transaction its txid. */
export const displayHash = (bytes: Uint8Array): string => displayOrder(hash256(bytes))

/** The hash of a block, of its header. */
export const hashHeader = (header: Uint8Array): BlockHash => displayHash(header) as BlockHash

/** A block hash as a header holds it, 32 bytes in internal order. */
export const displayBlockHash = (bytes: Uint8Array): BlockHash => displayOrder(bytes) as BlockHash

/** The hash that bitcoinjs computes of a block. */
export const blockId = (block: { getId(): string }): BlockHash => block.getId() as BlockHash

/** The txid of these bytes, a transaction without its witnesses. */
export const hashTransaction = (bare: Uint8Array): Txid => displayHash(bare) as Txid

/** The txid that bitcoinjs computes of a transaction. */
export const transactionId = (transaction: { getId(): string }): Txid => transaction.getId() as Txid

/** A txid as a transaction holds it, 32 bytes in internal order. */
export const displayTxid = (bytes: Uint8Array): Txid => displayOrder(bytes) as Txid
