import { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { OwnershipChallenge } from '../../src/schemas/api/ownership.ts'
import { OrderSummary } from '../../src/schemas/order.ts'
import { proveOwnership } from '../../test/support/orders/ownership-proof.ts'
import { person } from '../stage/people.ts'
import { fields } from '../stage/readable.ts'
import type { Stage } from '../stage/stage.ts'
import type { World } from '../stage/world.ts'
import { listAsBefore } from './list-inscription.ts'
import { tellHistory } from './tell-history.ts'

/** Only the owner of the offered output can withdraw a listing. */
export async function withdrawal(stage: Stage, world: World): Promise<void> {
  stage.act(
    'A withdrawal',
    'Carol changes her mind. No account, no password: she proves with a BIP-322 signature that the offered output is hers.',
  )
  const carol = person('Carol', 'her', 'p2wpkh')
  const mallory = person('Mallory', 'her', 'p2wpkh')
  const { id } = await listAsBefore(stage, world, carol, {
    text: 'not for long',
    priceSats: 30_000n,
  })

  stage.step('Carol asks for the message to sign: it names the order, the service and the time.')
  const { address, message } = await stage.get(`orders/${id}/ownership-challenge`, {
    status: 200,
    shape: OwnershipChallenge,
    is: { orderId: id, address: carol.address },
    shows: fields('address', 'message', 'expiresAt'),
  })

  stage.step('Mallory signs it with a key of her own, and is refused: the output is not hers.')
  const forged = { address, signature: proveOwnership(mallory.wallet, message).text }
  await stage.post(`orders/${id}/withdraw`, forged, {
    status: 400,
    shape: ErrorResponse,
    is: { code: 'INVALID_PROOF' },
    shows: fields('code', 'message'),
  })

  stage.step("Carol's wallet signs it, and the listing is withdrawn.")
  const signature = proveOwnership(carol.wallet, message).text
  const reason = 'changed my mind'
  await stage.post(
    `orders/${id}/withdraw`,
    { address, signature, reason },
    {
      status: 201,
      shape: OrderSummary,
      is: { id, state: 'WITHDRAWN', actionability: 'BLOCKED', 'withdrawal.reason': reason },
      shows: fields('state', 'actionability', 'withdrawal.reason', 'withdrawal.withdrawnAt'),
    },
  )

  stage.step('The signed half is not handed out any more. Copies elsewhere end only with a spend.')
  await stage.get(`orders/${id}/artifact`, {
    status: 400,
    shape: ErrorResponse,
    is: { code: 'ORDER_NOT_LIVE' },
    shows: fields('code', 'message'),
  })
  await tellHistory(stage, id, ['PENDING_NODE', 'LIVE', 'WITHDRAWN'])
}
