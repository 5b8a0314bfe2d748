import { BuildAskResult } from '../../src/schemas/api/listing.ts'
import { OrderSummary } from '../../src/schemas/order.ts'
import type { Outpoint, TxOut } from '../../src/schemas/scalars.ts'
import { signedByBitcoinjs } from '../../test/support/market/listing.ts'
import type { Person } from '../stage/people.ts'
import { fields, sats, textOf } from '../stage/readable.ts'
import type { Stage } from '../stage/stage.ts'
import type { World } from '../stage/world.ts'

export const POSTAGE = 10_000n

export interface Terms {
  /** The inscription itself. */
  text: string
  priceSats: bigint
  /** Of the inscription's sat in its output. */
  offset?: number
}

export interface Listed {
  id: string
  inscriptionId: string
  outpoint: Outpoint
  prevout: TxOut
  priceSats: bigint
  offset: number
}

/** A seller inscribes, builds, signs and publishes, each as a step of its own. */
export async function listInscription(
  stage: Stage,
  world: World,
  seller: Person,
  { text, priceSats, offset = 0 }: Terms,
): Promise<Listed> {
  const { name, wallet, address } = seller
  stage.step(
    `${name} inscribes “${text}” on an output of ${sats(POSTAGE)}; a block confirms it, and the index finds it.`,
  )
  const { inscriptionId, coin } = await world.inscribe(wallet, POSTAGE, text, offset)
  const { outpoint, output: prevout } = coin
  await indexFinds(stage, world, { inscriptionId, outpoint, offset })

  stage.step(
    `${name} asks for a PSBT that sells it for ${sats(priceSats)}. Node and index prove the output first.`,
  )
  const request = {
    protocolId: 'inscriptions',
    token: 'DEMO',
    quotedPriceSats: priceSats.toString(),
    sellerPaymentAddress: address,
    asset: { inscriptionId, outpoint },
  }
  const built = await stage.post('orders/build', request, {
    status: 201,
    shape: BuildAskResult,
    is: {
      outpoint,
      'inspection.signatureStatus': 'NONE',
      'inspection.outputValuesSats': [priceSats.toString()],
    },
    shows: fields('psbt', 'outpoint', 'nodeTip', 'inspection.signatureStatus'),
    gist: fields('psbt'),
  })

  stage.step(`${name}'s own wallet signs it. The service never sees a key.`)
  const psbt = signedByBitcoinjs(built.psbt, wallet)
  stage.deed('wallet', [
    ['signs', `the ${wallet.kind} input and the payout beside it, nothing else`],
    ['sighash', 'SINGLE | ANYONECANPAY: a buyer may add inputs and outputs'],
  ])

  stage.step(`${name} publishes the signed half. It is verified anew, and listed only if it holds.`)
  const order = await stage.post(
    'orders/publish',
    { psbt },
    {
      status: 201,
      shape: OrderSummary,
      is: {
        state: 'LIVE',
        actionability: 'HANDOFF_READY',
        'validation.nodeStatus': 'READY',
        'validation.assetStatus': 'VERIFIED',
        'assets.0.inscriptionId': inscriptionId,
        quotedPriceSats: priceSats.toString(),
      },
      shows: fields(
        'id',
        'state',
        'actionability',
        'quotedPriceSats',
        'inspection.signatureStatus',
        'validation.nodeStatus',
        'validation.assetStatus',
      ),
      gist: fields('id', 'state'),
    },
  )
  return { id: order.id, inscriptionId, outpoint, prevout, priceSats, offset }
}

/** The same as one step, where it was shown before. */
export const listAsBefore = (
  stage: Stage,
  world: World,
  seller: Person,
  terms: Terms,
): Promise<Listed> =>
  stage.again(
    `${seller.name} lists an inscription as Alice did: “${terms.text}”, for ${sats(terms.priceSats)}.`,
    () => listInscription(stage, world, seller, terms),
  )

/** The index itself is asked where an inscription is; it must be exactly there. */
export async function indexFinds(
  stage: Stage,
  world: World,
  { inscriptionId, outpoint, offset }: Pick<Listed, 'inscriptionId' | 'outpoint' | 'offset'>,
): Promise<void> {
  const found = await world.inscription(inscriptionId)
  const wanted = `${outpoint.txid}:${outpoint.vout}:${offset}`
  const satpoint = found?.satpoint
  const text = satpoint
    ? `${satpoint.outpoint.txid}:${satpoint.outpoint.vout}:${satpoint.offset}`
    : 'nowhere'
  stage.deed('index', [
    ['inscription', textOf(inscriptionId)],
    ['satpoint', textOf(text)],
  ])
  stage.expect('the satpoint that the index tells', text, wanted)
}
