import type { Spend } from '../../schemas/evidence.ts'
import type { Outpoint } from '../../schemas/scalars.ts'
import { isTooLongScript } from '../limits.ts'
import type { TransactionView } from './bare-transaction.ts'
import { outpointText } from './outpoint.ts'

/** How a transaction spends an output; null if it does not. */
export function spendOf(
  transaction: TransactionView,
  outpoint: Outpoint,
  block: Spend['block'],
): Spend | null {
  const { txid, unsignedTxid, inputs } = transaction
  const text = outpointText(outpoint)
  for (let inputIndex = 0; inputIndex < inputs; inputIndex += 1) {
    if (transaction.spent(inputIndex) !== text) continue
    return {
      txid,
      inputIndex,
      unsignedTxid,
      pairedOutput: pairedOutput(transaction, inputIndex),
      block,
    }
  }
  return null
}

/** The output at an input's index; null if there is none, or it is unspendable. */
export function pairedOutput(transaction: TransactionView, index: number): Spend['pairedOutput'] {
  if (index >= transaction.outputs) return null
  const output = transaction.output(index)
  return isTooLongScript(output.scriptHex) ? null : output
}
