import { Transaction } from 'bitcoinjs-lib'
import { displayTxid, transactionId } from '../../domain/chain/hash256.ts'
import { outpointText, parseOutpoint } from '../../domain/chain/outpoint.ts'
import type { OutpointText, Txid } from '../../schemas/scalars.ts'

/** A transaction with the names used to look it up. */
export interface Tx {
  readonly raw: Transaction
  readonly txid: Txid
  readonly hex: string
  /** Vbytes. */
  readonly vsize: number
  /** `txid:vout` of every prevout, in input order. */
  readonly prevouts: readonly OutpointText[]
}

/** The reverse of `displayTxid`. */
export const wireHash = (hash: string): Uint8Array =>
  Uint8Array.from(Buffer.from(hash, 'hex').reverse())

export function txOf(raw: Transaction): Tx {
  return {
    raw,
    txid: transactionId(raw),
    hex: raw.toHex(),
    vsize: raw.virtualSize(),
    prevouts: raw.ins.map(({ hash, index }) =>
      outpointText({ txid: displayTxid(hash), vout: index }),
    ),
  }
}

/** Throws `UndecodableTransactionError`. */
export function decodeTx(hex: string): Tx {
  try {
    return txOf(Transaction.fromHex(hex))
  } catch (error) {
    throw new UndecodableTransactionError(error)
  }
}

/** Core answers -22 to these bytes. */
export class UndecodableTransactionError extends Error {
  override name = 'UndecodableTransactionError'

  constructor(cause: unknown) {
    super('TX decode failed', { cause })
  }
}

/** Parents precede their children; otherwise the order is kept. */
export function inTopologicalOrder(txs: readonly Tx[]): Tx[] {
  const waiting = new Map(txs.map((tx) => [tx.txid, tx]))
  const ordered: Tx[] = []
  const place = (tx: Tx) => {
    if (!waiting.delete(tx.txid)) return
    for (const prevout of tx.prevouts) {
      const parent = waiting.get(parseOutpoint(prevout).txid)
      if (parent) place(parent)
    }
    ordered.push(tx)
  }
  for (const tx of txs) place(tx)
  return ordered
}
