import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inscribe } from '../support/chain/inscriptions.ts'
import { openRealChain, type RealChain } from '../support/chain/real-chain.ts'
import { etch } from '../support/chain/runes.ts'
import { coinOf, openWallet, txOut, type Wallet } from '../support/chain/wallet.ts'
import { waitUntil } from '../support/services/programs.ts'

let chain: RealChain
let wallet: Wallet
beforeAll(async () => {
  chain = await openRealChain()
  wallet = await openWallet(chain, 30)
  await chain.syncIndex()
})
afterAll(() => chain?.close())

async function settle(): Promise<void> {
  await chain.mine(1)
  await chain.syncIndex()
}

describe('inscriptions without a location', () => {
  test('an unbound inscription is nowhere', async () => {
    const to = txOut(wallet.scriptHex, 10_000n)
    const { ids, coin } = await inscribe(chain, wallet, to, [{ unknownTag: 22 }])
    await settle()
    expect(await chain.index.inscription(ids[0] ?? '')).toMatchObject({ satpoint: null })
    expect(await chain.index.output(coin.outpoint)).toMatchObject({
      indexed: true,
      inscriptions: [],
    })
  })

  test('a burned one is in an output that counts as spent', async () => {
    const to = txOut(wallet.scriptHex, 10_000n)
    const { ids, coin } = await inscribe(chain, wallet, to)
    const burn = wallet.sign({
      inputs: [coin],
      outputs: [txOut('6a0464617461', 1_000n), txOut(wallet.scriptHex, 8_000n)],
    })
    await chain.submit(burn.toHex())
    await settle()
    const { outpoint } = coinOf(burn, 0)
    expect((await chain.index.inscription(ids[0] ?? ''))?.satpoint).toEqual({
      outpoint,
      offset: '0',
    })
    expect(await chain.index.output(outpoint)).toMatchObject({
      indexed: true,
      spent: true,
      inscriptions: [{ id: ids[0] }],
    })
  })

  test('one that the coinbase did not claim is lost', async () => {
    // Above block 150 regtest pays less than ord counts, so a sat spent as fee lies beyond its end.
    const { tip } = await chain.node.chain()
    await chain.mine(Math.max(0, 151 - tip.height))
    const { ids, coin } = await inscribe(chain, wallet, txOut(wallet.scriptHex, 10_000n), [
      { pointer: 9_900 },
    ])
    await chain.mine(1)
    const spend = wallet.sign({ inputs: [coin], outputs: [txOut(wallet.scriptHex, 9_000n)] })
    await chain.submit(spend.toHex())
    await settle()
    expect(await chain.index.inscription(ids[0] ?? '')).toMatchObject({ satpoint: null })
  })
})

describe('runes', () => {
  test('a balance beyond what a float holds is exact', async () => {
    const outpoint = await etch(chain, wallet, 2n ** 100n + 1n)
    await settle()
    const output = await chain.index.output(outpoint)
    expect(output?.runes).toEqual([
      { name: expect.any(String), amount: (2n ** 100n + 1n).toString() },
    ])
  })

  test('an index without them answers null, under another version', async () => {
    const { version } = await chain.index.status()
    const { outpoint } = await wallet.fund(wallet.scriptHex, 10_000n)
    await settle()
    await chain.ord.stop()
    await chain.ord.forget()
    await chain.ord.start([], { runes: false })
    await chain.syncIndex()
    expect(await chain.index.status()).toMatchObject({ runes: false })
    expect((await chain.index.status()).version).not.toBe(version)
    expect(await chain.index.output(outpoint)).toMatchObject({ runes: null, indexed: true })
    await chain.ord.stop()
    await chain.ord.forget()
    await chain.ord.start()
    await chain.syncIndex()
  })
})

describe('a faulty index', () => {
  test('rebuilt it has another version; restarted it has not', async () => {
    const { version } = await chain.index.status()
    await chain.ord.stop()
    await chain.ord.start()
    expect((await chain.index.status()).version).toBe(version)
    await chain.ord.stop()
    await chain.ord.forget()
    await chain.ord.start()
    await chain.syncIndex()
    expect((await chain.index.status()).version).not.toBe(version)
  })

  test('its JSON switched off: malformed, not empty', async () => {
    await chain.ord.stop()
    await chain.ord.start(['--disable-json-api'])
    await expect(chain.index.status()).rejects.toMatchObject({ reason: 'asset_index_malformed' })
    await chain.ord.stop()
    await chain.ord.start()
  })

  test('its node unavailable: it cannot say what is spent, so it does not answer', async () => {
    const { outpoint } = await wallet.fund(wallet.scriptHex, 10_000n)
    await settle()
    await chain.core.stop()
    await expect(chain.index.output(outpoint)).rejects.toMatchObject({
      reason: 'asset_index_unreachable',
    })
    await chain.core.start()
    await waitUntil('ord reaches its node again', () =>
      chain.index.output(outpoint).then(
        (output) => output?.indexed === true,
        () => false,
      ),
    )
  })

  test('a reorg deeper than its savepoints: beyond recovery, and it says so', async () => {
    await chain.mine(40)
    await chain.syncIndex()
    const { tip } = await chain.node.chain()
    await chain.invalidate((await chain.node.blockHash(tip.height - 30)) ?? '')
    for (let i = 0; i < 32; i++) await chain.mineExactly([])
    await waitUntil('ord gives up', async () => (await chain.index.status()).unrecoverablyReorged)
    expect((await chain.index.status()).tip?.hash).not.toBe((await chain.node.chain()).tip.hash)
  })
})
