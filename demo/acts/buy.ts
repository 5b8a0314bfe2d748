import { PreflightResult, Quote } from '../../src/schemas/api/purchase.ts'
import { OrderSummary } from '../../src/schemas/order.ts'
import type { Txid } from '../../src/schemas/scalars.ts'
import { toTxid } from '../../test/support/ids.ts'
import { type BuyerCoin, signOwnInputs } from '../../test/support/market/buyer.ts'
import type { Person } from '../stage/people.ts'
import { fields, textOf } from '../stage/readable.ts'
import type { Stage } from '../stage/stage.ts'
import type { World } from '../stage/world.ts'
import { indexFinds, type Listed } from './list-inscription.ts'

/** Two paddings that go before the offered output, and what pays. */
const COINS = [600n, 600n, 200_000n] as const
const FEE_RATE = '2'
/** Where a quote puts the asset: after the merged paddings. */
const ASSET_OUTPUT = 1

export interface Purchase {
  /** The exact bytes that preflight checked. */
  hex: string
  txid: Txid
  coins: readonly BuyerCoin[]
}

/** A buyer quotes, signs and has the result checked: a transaction ready to broadcast. */
export async function preparePurchase(
  stage: Stage,
  world: World,
  buyer: Person,
  listed: Listed,
): Promise<Purchase> {
  const { name, wallet } = buyer
  const coins = await world.coins(wallet, COINS)
  const [first, second, ...funding] = coins.map(({ outpoint }) => outpoint)
  stage.step(
    `${name} asks what it costs, naming coins of ${buyer.theirs} own. The service reads them from node and index, and composes the buyer's half.`,
  )
  const request = {
    assetReceiveAddress: buyer.vaultAddress,
    paymentAddress: buyer.address,
    paddingUtxos: [first, second],
    fundingUtxos: funding,
    feeRateSatsPerVb: FEE_RATE,
  }
  const quote = await stage.post(`orders/${listed.id}/quote`, request, {
    status: 201,
    shape: Quote,
    is: {
      sellerProceedsSats: listed.priceSats.toString(),
      'asset.inscriptionId': listed.inscriptionId,
      marketplaceFeeSats: '0',
      sellerIndex: 2,
    },
    shows: fields(
      'sellerProceedsSats',
      'assetValueSats',
      'marketplaceFeeSats',
      'creatorRoyaltySats',
      'networkFeeSats',
      'changeSats',
      'totalBuyerCostSats',
      'sellerIndex',
      'expiresAt',
    ),
    gist: fields('networkFeeSats', 'totalBuyerCostSats'),
  })

  stage.step(`${name}'s wallet signs the inputs that are its own, and no other.`)
  const signedPsbt = signOwnInputs(quote.psbt, coins)
  stage.deed('wallet', [
    ['signs', `${coins.length} ${wallet.kind} inputs, for all of the transaction`],
  ])

  stage.step('Before anything is broadcast, the service checks the signed purchase.')
  const result = await stage.post(
    `orders/${listed.id}/preflight`,
    { signedPsbt },
    {
      status: 201,
      shape: PreflightResult,
      is: { allowed: true, feesSats: quote.networkFeeSats },
      shows: (answer) => [
        ...fields('allowed', 'txid', 'vsize', 'feesSats', 'finalTxHex')(answer),
        ...notices(answer),
      ],
      gist: fields('allowed', 'txid'),
    },
  )
  return { hex: result.finalTxHex ?? '', txid: result.txid ?? toTxid(''), coins }
}

/** What a preflight says besides its verdict. */
export const notices = ({ notices: told = [] }: PreflightResult): [string, string][] =>
  told.map(({ code, message }) => [code, textOf(message)])

/** The buyer hands the checked bytes to the node; the order becomes a conflict. */
export async function broadcast(
  stage: Stage,
  world: World,
  buyer: Person,
  { id }: Listed,
  { hex, txid }: Purchase,
): Promise<void> {
  stage.step(
    `${buyer.name} broadcasts exactly these bytes through the node; the service has no part in it.`,
  )
  const accepted = await world.broadcast(hex)
  stage.deed('node', [['accepts', textOf(accepted)]])
  stage.expect('the txid that the node tells', accepted, txid)

  stage.step('The service sees the spend in the mempool: paid as signed, not yet in a block.')
  await stage.becomes(`orders/${id}`, {
    status: 200,
    shape: OrderSummary,
    is: { state: 'MEMPOOL_CONFLICTED', 'settlement.txid': txid, 'settlement.confirmations': 0 },
    shows: fields('state', 'actionability', 'settlement.txid', 'settlement.confirmations'),
  })
}

/** A block holds the purchase: the order is settled, and the asset where the buyer wants it. */
export async function settle(
  stage: Stage,
  world: World,
  buyer: Person,
  listed: Listed,
  { txid }: Purchase,
): Promise<void> {
  await world.mine()
  stage.step('A block is mined. The spend carries the exact payout: the order is settled.')
  stage.deed('node', [['block', String(await world.height())]])
  await stage.becomes(`orders/${listed.id}`, {
    status: 200,
    shape: OrderSummary,
    is: { state: 'SETTLED', 'settlement.txid': txid, 'settlement.confirmations': 1 },
    shows: fields('state', 'actionability', 'settlement.txid', 'settlement.confirmations'),
  })

  const { inscriptionId, offset } = listed
  stage.step(
    `The index finds the inscription in output ${ASSET_OUTPUT}, which is ${buyer.name}'s, at the offset that it had: ${offset}.`,
  )
  const outpoint = { txid, vout: ASSET_OUTPUT }
  await indexFinds(stage, world, { inscriptionId, outpoint, offset })
  stage.deed('node', [['pays', `${textOf(buyer.vaultAddress)}, ${buyer.name}'s`]])
  stage.expect('the script of that output', await world.scriptOf(outpoint), buyer.vaultScriptHex)
}
