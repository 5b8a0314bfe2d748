import { outpointText } from '../../domain/chain/outpoint.ts'
import type { OutputTrouble } from '../../schemas/api/outputs/check.ts'
import type { Notice } from '../../schemas/order.ts'
import type { Outpoint } from '../../schemas/scalars.ts'
import type { FindOpenOrders } from '../order/orders-of-output.ts'
import { orderTroubles } from './output-troubles.ts'

/** What these outputs are needed for by open orders here, which a spend of them would end. */
export async function neededOutputs(
  openOrders: FindOpenOrders,
  outpoints: readonly Outpoint[],
): Promise<OutputTrouble[]> {
  const orders = await openOrders(outpoints.map(outpointText))
  return outpoints.flatMap((outpoint, at) => {
    const found = orders[at]
    return found ? orderTroubles({ outpoint }, found) : []
  })
}

/** Which orders, beside the one that is bought, the purchase would end. */
export const endedOrders = (needed: readonly OutputTrouble[]): Notice[] =>
  needed.flatMap(({ code, message }) => {
    if (code === 'offered') {
      return [
        {
          code: 'INPUT_OFFERED',
          message: `${message}, which this purchase ends: what that output holds is worth its price.`,
        },
      ]
    }
    if (code !== 'pays_for_bid') return []
    return [
      {
        code: 'PAYS_FOR_BID',
        message: `${message}, which this purchase ends; whoever accepts the bid may be faster.`,
      },
    ]
  })
