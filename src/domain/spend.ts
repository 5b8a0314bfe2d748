import type { Spend } from '../schemas/evidence.ts'
import type { Outpoint } from '../schemas/scalars.ts'
import type { TransactionView } from './bare-transaction.ts'
import { outpointText } from './outpoint.ts'

/** How a transaction spends an output; null when it does not. */
export function spendOf(
  transaction: TransactionView,
  outpoint: Outpoint,
  block: Spend['block'],
): Spend | null {
  const { txid, unsignedTxid, inputs, outputs } = transaction
  const text = outpointText(outpoint)
  for (let inputIndex = 0; inputIndex < inputs; inputIndex += 1) {
    if (transaction.spent(inputIndex) !== text) continue
    const pairedOutput = inputIndex < outputs ? transaction.output(inputIndex) : null
    return { txid, inputIndex, unsignedTxid, pairedOutput, block }
  }
  return null
}
