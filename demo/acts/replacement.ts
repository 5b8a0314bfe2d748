import { OrderSummary } from '../../src/schemas/order.ts'
import { spend } from '../../test/support/chain/spend.ts'
import { txOut } from '../../test/support/chain/wallet.ts'
import { person } from '../stage/people.ts'
import { fields, textOf } from '../stage/readable.ts'
import { type Stage, UnexpectedError } from '../stage/stage.ts'
import type { World } from '../stage/world.ts'
import { broadcast, preparePurchase } from './buy.ts'
import { listAsBefore } from './list-inscription.ts'
import { tellHistory } from './tell-history.ts'

/** Far more than the purchase pays, as BIP 125 requires. */
const REPLACEMENT_FEE = 10_000n

/** A purchase that is replaced before it is mined makes the order LIVE again. */
export async function replacement(stage: Stage, world: World): Promise<void> {
  stage.act(
    'A replaced purchase',
    'A spend in the mempool may never be mined. Frank broadcasts a purchase, then replaces it by fee: the order must come back.',
  )
  const erin = person('Erin', 'her', 'p2sh-p2wpkh')
  const frank = person('Frank', 'his', 'p2wpkh')
  const listed = await listAsBefore(stage, world, erin, {
    text: 'sold, or not',
    priceSats: 40_000n,
  })
  const purchase = await stage.again(
    'Frank gets a quote, signs it and has it checked, as Bob did.',
    () => preparePurchase(stage, world, frank, listed),
  )
  await broadcast(stage, world, frank, listed, purchase)

  stage.step('Frank replaces it: the coin that should pay goes back to himself, at a higher fee.')
  const funding = purchase.coins.at(-1)
  if (!funding) throw new UnexpectedError('Frank has no coin')
  const { output } = funding
  const back = txOut(output.scriptHex, BigInt(output.valueSats) - REPLACEMENT_FEE)
  const txid = await world.broadcast(spend({ inputs: [funding], outputs: [back] }))
  stage.deed('node', [
    ['accepts', textOf(txid)],
    ['drops', textOf(purchase.txid)],
  ])
  stage.expect('whether the purchase still waits', await world.waits(purchase.txid), false)

  stage.step('The conflict is gone, and the order is LIVE again: verified anew, not assumed.')
  await stage.becomes(`orders/${listed.id}`, {
    status: 200,
    shape: OrderSummary,
    is: {
      state: 'LIVE',
      actionability: 'HANDOFF_READY',
      settlement: undefined,
      'validation.nodeStatus': 'READY',
    },
    shows: fields('state', 'actionability', 'settlement', 'validation.nodeStatus'),
  })
  await tellHistory(stage, listed.id, ['PENDING_NODE', 'LIVE', 'MEMPOOL_CONFLICTED', 'LIVE'])
}
