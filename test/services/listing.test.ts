import { TEST_NETWORK, WIF } from '@scure/btc-signer'
import * as ecc from 'tiny-secp256k1'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { bundleText } from '../../src/domain/dispute/seal-bundle.ts'
import { verifyBundle } from '../../src/domain/dispute/verify-bundle.ts'
import { DisputeBundle } from '../../src/schemas/dispute/bundle.ts'
import type { AssetClaim } from '../../src/schemas/order.ts'
import type { TxOut } from '../../src/schemas/scalars.ts'
import { inscribe } from '../support/chain/inscriptions.ts'
import { SCRIPTS, type ScriptKind, secretOf, type Wallet, walletOf } from '../support/chain/keys.ts'
import { txOut } from '../support/chain/wallet.ts'
import { built, listingOf, published, refused } from '../support/market/listing.ts'
import { openServiceBook, type ServiceBook } from '../support/services/service-book.ts'

// Bitcoin Core signs what a build returned, with the keys of a descriptor and nothing else.

let book: ServiceBook
beforeAll(async () => {
  book = await openServiceBook({ payments: 80 })
})
afterAll(() => book?.close())

/** The key without a known secret: BIP341's point H. */
const NO_KEY = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0'

/** The wallet of `test/support/chain/keys.ts` as an output descriptor with private keys. */
function descriptorOf(kind: ScriptKind, seed: string): string {
  const [first, second, third] = [0, 1, 2].map((n) => secretOf(`${seed}/${n}`))
  if (!first || !second || !third) throw new Error('three secrets were asked for')
  const wif = (secret: Uint8Array) => WIF(TEST_NETWORK).encode(secret)
  const publicKey = Buffer.from(ecc.pointFromScalar(third, true) ?? []).toString('hex')
  return {
    p2wpkh: `wpkh(${wif(first)})`,
    'p2sh-p2wpkh': `sh(wpkh(${wif(first)}))`,
    p2tr: `tr(${wif(first)})`,
    'p2wsh-multisig': `wsh(multi(2,${wif(first)},${wif(second)},${publicKey}))`,
    tapscript: `tr(${NO_KEY},pk(${wif(first)}))`,
    'p2wsh-other': `wsh(pk(${wif(first)}))`,
  }[kind]
}

const Processed = z.object({ psbt: z.string(), complete: z.boolean() })

async function signedByCore(psbt: string, descriptor: string, finalise = true): Promise<string> {
  const { rpc } = book.chain.core
  const args = [psbt, [descriptor], 'SINGLE|ANYONECANPAY', false, finalise]
  const processed = Processed.parse(await rpc('descriptorprocesspsbt', ...args))
  expect(processed.complete).toBe(finalise)
  return processed.psbt
}

/** An inscription in a confirmed output of its owner, which the index has examined. */
async function inscribed(owner: Wallet): Promise<{ asset: AssetClaim; prevout: TxOut }> {
  const prevout = txOut(owner.scriptHex, 10_000n)
  const { ids, coin } = await inscribe(book.chain, book.miner, prevout)
  await book.mine()
  return { asset: { inscriptionId: ids[0] ?? '', outpoint: coin.outpoint }, prevout }
}

/** The bundle of an order, which is verifiable without a network. */
async function bundleOf(id: string): Promise<DisputeBundle> {
  // 503 until the history has the order's last change, which the views may show before.
  const bundle = await vi.waitFor(
    async () => {
      const { status, body } = await book.market.get(`orders/${id}/bundle`)
      expect(status, JSON.stringify(body)).toBe(200)
      return DisputeBundle.parse(body)
    },
    { timeout: 30_000, interval: 250 },
  )
  const { failed, claimed } = verifyBundle(bundleText(bundle), ecc)
  expect(failed).toEqual([])
  const inBlocks = claimed.filter((fact) => /^transaction [0-9a-f]{64} is in block /.test(fact))
  expect(inBlocks).toHaveLength(bundle.order.state === 'SETTLED' ? 2 : 1)
  return bundle
}

describe('what a build returns is signed by Bitcoin Core, published, bought and mined', () => {
  test.each(SCRIPTS)('%s', async (kind) => {
    const seed = book.name()
    const owner = walletOf(kind, seed)
    const { asset, prevout } = await inscribed(owner)
    const build = await built(book.market, listingOf(asset, owner))
    expect(build.inspection.inputWitnessUtxos).toEqual([prevout])

    const psbt = await signedByCore(build.psbt, descriptorOf(kind, seed))
    const order = await published(book.market, psbt)
    expect(order).toMatchObject({
      state: 'LIVE',
      actionability: 'HANDOFF_READY',
      protocolId: 'inscriptions',
      token: 'PUNK',
      sellerScriptHex: owner.scriptHex,
      assets: [asset],
      validation: { nodeStatus: 'READY', assetStatus: 'VERIFIED' },
    })

    expect((await bundleOf(order.id)).artifact.withheld).toBeNull()

    await book.chain.submit(await book.purchase({ psbt, prevout }))
    await book.mine()
    const { settlement } = await book.market.orderUntil(
      order.id,
      ({ state }) => state === 'SETTLED',
    )
    const { proofs, artifact } = await bundleOf(order.id)
    expect(proofs.spend?.txid).toBe(settlement?.txid)
    expect(proofs.output?.txid).toBe(asset.outpoint.txid)
    expect(proofs.headers.length).toBeGreaterThan(0)
    expect(artifact).toMatchObject({ psbt: null, withheld: 'not_live' })
    expect(await refused(book.market, 'publish', { psbt })).toMatchObject({
      code: 'PUBLISH_REFUSED',
      message: expect.stringContaining(': settled: '),
    })
    expect(await refused(book.market, 'build', listingOf(asset, owner))).toMatchObject({
      code: 'BUILD_REFUSED',
    })
  })
})

test('Core leaves its signature partial on request, and that is published too', async () => {
  const seed = book.name()
  const owner = walletOf('p2wpkh', seed)
  const { asset } = await inscribed(owner)
  const { psbt } = await built(book.market, listingOf(asset, owner))
  const partial = await signedByCore(psbt, descriptorOf('p2wpkh', seed), false)
  expect(await published(book.market, partial)).toMatchObject({ state: 'LIVE', token: 'PUNK' })
})

test('everything shown was true, and the store is intact', async () => {
  expect(await book.audit()).toEqual([])
})
