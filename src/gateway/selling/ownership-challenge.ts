import { type ChallengeTerms, challengeAt } from '../../domain/purchase/ownership-challenge.ts'
import { addressOfScript } from '../../domain/script/address.ts'
import type { OwnershipChallenge } from '../../schemas/api/ownership.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { Gateway } from '../gateway.ts'
import { findOrder } from '../order/read-order.ts'
import { RefusalError } from '../refusal.ts'

/**
 * What the owner of the offered output signs to manage the order (gateway spec 5.1).
 *
 * @throws RefusalError ORDER_NOT_FOUND, ORDER_NOT_WITHDRAWABLE
 */
export async function ownershipChallenge(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock' | 'settings'>,
  id: string,
): Promise<OwnershipChallenge> {
  const { order } = await findOrder(gateway, id)
  return challengeAt(challengeTerms(gateway, order), gateway.clock.now())
}

/**
 * The facts that a challenge of this order states.
 *
 * @throws RefusalError ORDER_NOT_WITHDRAWABLE for an order whose ownership cannot be proved
 */
export function challengeTerms(
  { settings }: Pick<Gateway, 'settings'>,
  { id, outpoint, network, sellerScriptHex }: OrderRecord,
): ChallengeTerms & { scriptHex: string } {
  if (sellerScriptHex === undefined) {
    throw notProvable('the full node has not given the script of the offered output yet')
  }
  const address = addressOfScript(sellerScriptHex, network)
  if (address === null) throw notProvable('the script of the offered output has no address')
  return {
    origin: settings.publicOrigin,
    network,
    orderId: id,
    outpoint,
    address,
    windowSeconds: settings.ownershipWindowSeconds,
    scriptHex: sellerScriptHex,
  }
}

const notProvable = (reason: string): RefusalError =>
  new RefusalError('ORDER_NOT_WITHDRAWABLE', `ownership of this order cannot be proved: ${reason}`)
