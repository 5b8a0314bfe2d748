import { Psbt } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import { type ScriptKind, walletOf } from '../support/chain/keys.ts'
import {
  addressOf,
  built,
  inscribedFor,
  listingOf,
  published,
  signedByBitcoinjs,
  signedByScure,
} from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { devnetOf } from '../support/market/trader.ts'

let market: Market
beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
})
afterAll(() => market.end())

const KINDS = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr', 'p2wsh-multisig'] as const satisfies ScriptKind[]

describe('a listing from build to the book [spec 4.2 Publish]', () => {
  const signers = [
    ['bitcoinjs-lib, finalised', (psbt: string, owner: Owner) => signedByBitcoinjs(psbt, owner)],
    [
      'bitcoinjs-lib, partial',
      (psbt: string, owner: Owner) => signedByBitcoinjs(psbt, owner, { finalised: false }),
    ],
    ['@scure/btc-signer, partial', signedByScure],
  ] as const
  const cases = KINDS.flatMap((kind) =>
    signers.map(([title, sign]) => ({ title: `${kind}, signed by ${title}`, kind, sign })),
  )

  test.each(cases)('$title', async ({ title, kind, sign }) => {
    const owner = walletOf(kind, title)
    const asset = inscribedFor(market, owner)
    const build = await built(market, listingOf(asset, owner, { token: title.slice(0, 64) }))
    const tip = (await devnetOf(market).node.chain()).tip
    expect(build).toMatchObject({
      outpoint: asset.outpoint,
      nodeTip: { height: tip.height, hash: tip.hash },
      protocolId: 'inscriptions',
      builderProfile: 'OPEN_ASK',
      inspection: {
        signatureStatus: 'NONE',
        orderClass: 'ASK_ANYONECANPAY',
        safety: 'PUBLIC_RACEABLE',
        reasons: [],
        inputOutpoints: [asset.outpoint],
        inputWitnessUtxos: [{ valueSats: '10000', scriptHex: owner.scriptHex }],
        outputValuesSats: ['50000'],
        outputScriptsHex: [owner.scriptHex],
        hasProprietaryFields: false,
        hasUnknownFields: false,
      },
    })
    const order = await published(market, sign(build.psbt, owner))
    expect(order).toMatchObject({
      state: 'LIVE',
      actionability: 'HANDOFF_READY',
      side: 'ASK',
      protocolId: 'inscriptions',
      token: title.slice(0, 64),
      quotedPriceSats: '50000',
      sellerScriptHex: owner.scriptHex,
      assets: [asset],
      validation: { assetStatus: 'VERIFIED' },
      inspection: { orderClass: 'ASK_ANYONECANPAY', safety: 'PUBLIC_RACEABLE' },
      sources: [{ source: 'direct-import', claimedPriceSats: '50000', claimedAsset: asset }],
    })
    const query = `orders?protocol=inscriptions&seller=${addressOf(owner)}`
    const page = (await market.get(query)).body as OrderPage
    expect(page.orders.map(({ id }: OrderSummary) => id)).toEqual([order.id])
  })

  type Owner = ReturnType<typeof walletOf>

  test.each(KINDS)('the PSBT is as designed, for %s [spec 4.2 Build]', async (kind) => {
    const owner = walletOf(kind, 'form')
    const asset = inscribedFor(market, owner)
    const psbt = Psbt.fromBase64((await built(market, listingOf(asset, owner))).psbt)
    expect([psbt.version, psbt.locktime, psbt.inputCount, psbt.txOutputs.length]).toEqual([
      2, 0, 1, 1,
    ])
    expect(psbt.txInputs[0]?.sequence).toBe(0xfffffffd)
    const [input] = psbt.data.inputs
    expect(input?.sighashType).toBe(0x83)
    expect(input?.witnessUtxo?.value).toBe(10_000n)
    expect(input?.nonWitnessUtxo !== undefined).toBe(kind !== 'p2tr')
  })
})
