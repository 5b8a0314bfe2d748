import { outpointText } from '../../domain/chain/outpoint.ts'
import type { OutputTrouble } from '../../schemas/api/outputs/check.ts'
import type { Notice } from '../../schemas/order.ts'
import type { Outpoint } from '../../schemas/scalars.ts'
import type { FindOpenOrders } from '../order/orders-of-output.ts'
import { orderTroubles } from './output-troubles.ts'

/** An open order here that a spend of the output would end. */
export interface NeededOutput extends OutputTrouble {
  outpoint: Outpoint
}

/** What these outputs are needed for by open orders here, which a spend of them would end. */
export async function neededOutputs(
  openOrders: FindOpenOrders,
  outpoints: readonly Outpoint[],
): Promise<NeededOutput[]> {
  const orders = await openOrders(outpoints.map(outpointText))
  return outpoints.flatMap((outpoint, at) => {
    const found = orders[at]
    return found ? orderTroubles({ outpoint }, found).map((one) => ({ ...one, outpoint })) : []
  })
}

/** Which orders, beside one that is bought, the transaction would end. */
export const endedOrders = (
  needed: readonly OutputTrouble[],
  transaction = 'this purchase',
): Notice[] =>
  needed.flatMap(({ code, message }) => {
    if (code === 'offered') {
      return [
        {
          code: 'INPUT_OFFERED',
          message: `${message}, which ${transaction} ends: what that output holds is worth its price.`,
        },
      ]
    }
    if (code !== 'pays_for_bid') return []
    return [
      {
        code: 'PAYS_FOR_BID',
        message: `${message}, which ${transaction} ends; whoever accepts the bid may be faster.`,
      },
    ]
  })
