import { PsbtRefusedError } from '../psbt/psbt-refused.ts'
import type { Ecc } from '../script/ecc.ts'
import {
  type FinalTransaction,
  finaliseSigned,
  MalformedTransactionError,
  readFinalTransaction,
} from './final-transaction.ts'

/** A purchase as its buyer sends it: the final transaction in hex, or a fully signed PSBT. */
export type PurchaseText = { finalTxHex: string } | { signedPsbt: string }

/** A refusal is data, so that it can be passed between threads. */
export type PurchaseReading =
  | { status: 'read'; transaction: FinalTransaction }
  | { status: 'refused'; code: 'INVALID_TRANSACTION' | PsbtRefusedError['code']; message: string }

/** Some wallets add the previous transaction of each input, which a final transaction does without. */
const FINALISE_IT = 'finalise it, and send the transaction as finalTxHex'

/**
 * Reads a purchase to be checked, within `PURCHASE_LIMITS`. Without `ecc` every signature of a PSBT
 * is taken for a valid one.
 */
export function readPurchase(text: PurchaseText, ecc: Ecc | null = null): PurchaseReading {
  try {
    const transaction =
      'signedPsbt' in text
        ? finaliseSigned(text.signedPsbt, ecc)
        : readFinalTransaction(text.finalTxHex)
    return { status: 'read', transaction }
  } catch (cause) {
    if (cause instanceof PsbtRefusedError) {
      const { code } = cause
      const message = code === 'PSBT_TOO_LARGE' ? `${cause.message}: ${FINALISE_IT}` : cause.message
      return { status: 'refused', code, message }
    }
    if (!(cause instanceof MalformedTransactionError)) throw cause
    return { status: 'refused', code: 'INVALID_TRANSACTION', message: cause.message }
  }
}
