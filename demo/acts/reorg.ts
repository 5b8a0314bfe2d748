import { OrderSummary } from '../../src/schemas/order.ts'
import { person } from '../stage/people.ts'
import { fields, textOf } from '../stage/readable.ts'
import type { Stage } from '../stage/stage.ts'
import type { World } from '../stage/world.ts'
import { broadcast, preparePurchase, settle } from './buy.ts'
import { listAsBefore } from './list-inscription.ts'
import { tellHistory } from './tell-history.ts'

/** A settlement whose block leaves the chain is reverted, and found again. */
export async function reorg(stage: Stage, world: World): Promise<void> {
  stage.act(
    'A reorganisation',
    'A block can lose against a longer branch, and a settlement with it. This inscription sits in the middle of its output, and must keep its offset.',
  )
  const grace = person('Grace', 'her', 'p2wsh-multisig')
  const heidi = person('Heidi', 'her', 'p2wpkh')
  const listed = await listAsBefore(stage, world, grace, {
    text: 'on sat 777',
    priceSats: 60_000n,
    offset: 777,
  })
  const purchase = await stage.again('Heidi buys it as Bob did.', async () => {
    const prepared = await preparePurchase(stage, world, heidi, listed)
    await broadcast(stage, world, heidi, listed, prepared)
    await settle(stage, world, heidi, listed, prepared)
    return prepared
  })

  stage.step('The last block gives way to a branch of two that does not hold the purchase.')
  const gone = await world.replaceLastBlock()
  stage.deed('node', [
    ['disconnects', textOf(`block ${gone.height}, ${gone.hash}`)],
    ['tip', `block ${await world.height()}`],
  ])

  stage.step('The settlement is taken back: the purchase waits in the mempool again.')
  await stage.becomes(`orders/${listed.id}`, {
    status: 200,
    shape: OrderSummary,
    is: {
      state: 'MEMPOOL_CONFLICTED',
      'settlement.txid': purchase.txid,
      'settlement.confirmations': 0,
    },
    shows: fields('state', 'actionability', 'settlement.txid', 'settlement.confirmations'),
  })
  await stage.again(
    'The next block holds it: settled once more, the inscription where it was.',
    () => settle(stage, world, heidi, listed, purchase),
  )
  await tellHistory(stage, listed.id, [
    'PENDING_NODE',
    'LIVE',
    'MEMPOOL_CONFLICTED',
    'SETTLED',
    'MEMPOOL_CONFLICTED',
    'SETTLED',
  ])
}
