import { Transaction } from 'bitcoinjs-lib'
import { displayOrder } from '../../domain/chain/hash256.ts'
import { outpointText } from '../../domain/chain/outpoint.ts'
import type { OutpointText } from '../../schemas/scalars.ts'

/** A transaction with the names used to look it up. */
export interface Tx {
  readonly raw: Transaction
  readonly txid: string
  readonly hex: string
  /** Vbytes. */
  readonly vsize: number
  /** `txid:vout` of every prevout, in input order. */
  readonly prevouts: readonly OutpointText[]
}

/** The reverse of `displayOrder`. */
export const wireHash = (hash: string): Uint8Array =>
  Uint8Array.from(Buffer.from(hash, 'hex').reverse())

export function txOf(raw: Transaction): Tx {
  return {
    raw,
    txid: raw.getId(),
    hex: raw.toHex(),
    vsize: raw.virtualSize(),
    prevouts: raw.ins.map(({ hash, index }) =>
      outpointText({ txid: displayOrder(hash), vout: index }),
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
      const parent = waiting.get(prevout.slice(0, 64))
      if (parent) place(parent)
    }
    ordered.push(tx)
  }
  for (const tx of txs) place(tx)
  return ordered
}
