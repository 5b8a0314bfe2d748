import { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { OrderPage } from '../../src/schemas/order.ts'
import { person } from '../stage/people.ts'
import { fields } from '../stage/readable.ts'
import type { Stage } from '../stage/stage.ts'
import type { World } from '../stage/world.ts'
import { broadcast, preparePurchase, settle } from './buy.ts'
import { drawCandle } from './draw-candle.ts'
import { followOrder } from './follow-order.ts'
import { listInscription } from './list-inscription.ts'
import { proveSale } from './prove-sale.ts'
import { receiveWebhooks } from './receive-webhooks.ts'
import { tellHistory } from './tell-history.ts'

/** From a build to a settlement, and what others see of it: pushes, webhooks, a candle, a bundle. */
export async function sale(stage: Stage, world: World): Promise<void> {
  stage.act(
    'A sale',
    'Alice has an inscription, Bob has coins. Each signs with a wallet of their own; the service only proves what is true.',
  )
  const alice = person('Alice', 'her', 'p2tr')
  const bob = person('Bob', 'his', 'p2wpkh')
  const listed = await listInscription(stage, world, alice, {
    text: 'hello, market',
    priceSats: 50_000n,
  })

  stage.step('Anybody can find it now. The signed half is not in the list.')
  await stage.get('orders?state=LIVE&protocol=inscriptions&sort=price_asc', {
    status: 200,
    shape: OrderPage,
    is: { total: 1, 'orders.0.id': listed.id },
    shows: fields('total', 'orders.0.id', 'orders.0.token', 'orders.0.quotedPriceSats'),
  })

  await using followed = await followOrder(stage, world, listed.id)
  const purchase = await preparePurchase(stage, world, bob, listed)
  await broadcast(stage, world, bob, listed, purchase)
  await followed.tells({ from: 'LIVE', to: 'MEMPOOL_CONFLICTED' })

  stage.step('Who comes too late is told so, and is not handed the signed half.')
  await stage.get(`orders/${listed.id}/artifact`, {
    status: 400,
    shape: ErrorResponse,
    is: { code: 'ORDER_NOT_LIVE' },
    shows: fields('code', 'message'),
  })

  await settle(stage, world, bob, listed, purchase)
  await followed.tells({ from: 'MEMPOOL_CONFLICTED', to: 'SETTLED' })
  const states = ['PENDING_NODE', 'LIVE', 'MEMPOOL_CONFLICTED', 'SETTLED'] as const
  await tellHistory(stage, listed.id, states)
  await receiveWebhooks(stage, world, listed.id, states)
  await drawCandle(stage, listed)
  await proveSale(stage, world, listed)
}
