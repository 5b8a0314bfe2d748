import { PreflightResult } from '../../src/schemas/api/purchase.ts'
import { OrderArtifact, OrderSummary } from '../../src/schemas/order.ts'
import { txOut } from '../../test/support/chain/wallet.ts'
import {
  type BuyerCoin,
  type Composition,
  composePurchase,
} from '../../test/support/market/buyer.ts'
import { person } from '../stage/people.ts'
import { fields } from '../stage/readable.ts'
import { type Stage, UnexpectedError } from '../stage/stage.ts'
import type { World } from '../stage/world.ts'
import { notices } from './buy.ts'
import { type Listed, listAsBefore, POSTAGE } from './list-inscription.ts'

const FUNDS = 200_000n
const FEE = 2_000n
/** OP_RETURN and a push: unspendable. */
const MEMO = '6a0474686e78'

interface Mistake {
  /** What this wallet does, in one sentence. */
  story: string
  rejectReason: PreflightResult['rejectReason']
  around(coin: BuyerCoin, listed: Listed): Pick<Composition, 'inputs' | 'outputs'>
}

/** The node would mine each of them: it knows sats, and no inscriptions. */
const MISTAKES: readonly Mistake[] = [
  {
    story: `Judy's wallet takes the ${POSTAGE.toLocaleString('en')} sats of the offered output for a generous fee. The inscription sits on them.`,
    rejectReason: 'asset_to_fee',
    around: (coin, { priceSats }) => ({
      inputs: [coin, 'seller'],
      outputs: [txOut(coin.output.scriptHex, FUNDS - priceSats), 'payout'],
    }),
  },
  {
    story:
      'Judy adds a memo, an OP_RETURN that carries the rest: the inscription would be burned in it.',
    rejectReason: 'asset_burned',
    around: (coin, { priceSats }) => ({
      inputs: [coin, 'seller'],
      outputs: [
        txOut(coin.output.scriptHex, FUNDS - priceSats),
        'payout',
        txOut(MEMO, POSTAGE - FEE),
      ],
    }),
  },
  {
    story:
      'Judy puts the seller first, without paddings: Ivan would be paid and keep the inscription.',
    rejectReason: 'asset_to_payout',
    around: (coin, { priceSats }) => ({
      inputs: ['seller', coin],
      outputs: ['payout', txOut(coin.output.scriptHex, FUNDS + POSTAGE - priceSats - FEE)],
    }),
  },
]

/** Purchases that pay the seller and lose the asset are refused, with the reason. */
export async function carelessPurchases(stage: Stage, world: World): Promise<void> {
  stage.act(
    'Purchases that would lose the asset',
    'Judy composes her transactions by hand. Each is valid, pays the seller, and would be mined; the preflight says what they would do to the inscription.',
  )
  const ivan = person('Ivan', 'his', 'p2tr')
  const judy = person('Judy', 'her', 'p2wpkh')
  const listed = await listAsBefore(stage, world, ivan, {
    text: 'handle with care',
    priceSats: 70_000n,
  })
  const { id, prevout } = listed

  stage.step("While the order is LIVE, its signed half is anybody's to take.")
  const { psbt } = await stage.get(`orders/${id}/artifact`, {
    status: 200,
    shape: OrderArtifact,
    is: { orderId: id, state: 'LIVE', 'verification.stale': false },
    shows: fields('psbt', 'state', 'verification.stale', 'verification.maxAgeSeconds'),
  })

  const [coin] = await world.coins(judy.wallet, [FUNDS])
  if (!coin) throw new UnexpectedError('Judy has no coin')
  for (const { story, rejectReason, around } of MISTAKES) {
    stage.step(story)
    const finalTxHex = composePurchase({ psbt, prevout, ...around(coin, listed) })
    const accepts = await world.wouldAccept(finalTxHex)
    stage.deed('node', [['would take it', accepts ? 'yes' : 'no']])
    stage.expect('whether the node would accept it', accepts, true)
    await stage.post(
      `orders/${id}/preflight`,
      { finalTxHex },
      {
        status: 201,
        shape: PreflightResult,
        is: { allowed: false, rejectReason, finalTxHex: undefined },
        shows: (answer) => [...fields('allowed', 'rejectReason')(answer), ...notices(answer)],
      },
    )
  }

  stage.step('Nothing was broadcast: the order is as it was.')
  await stage.get(`orders/${id}`, {
    status: 200,
    shape: OrderSummary,
    is: { state: 'LIVE', actionability: 'HANDOFF_READY' },
    shows: fields('state', 'actionability'),
  })
}
