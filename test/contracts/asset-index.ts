import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOfScript } from '../../src/domain/script/address.ts'
import type { AssetIndex, OutputAssets } from '../../src/ports/authorities/asset-index.ts'
import type { BlockHash, Outpoint } from '../../src/schemas/scalars.ts'
import type { ChainDriver, OpenChain } from '../support/chain/chain-driver.ts'
import { inscribe } from '../support/chain/inscriptions.ts'
import { walletOf } from '../support/chain/keys.ts'
import { type Coin, coinOf, openWallet, txOut, type Wallet } from '../support/chain/wallet.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'

interface Indexed {
  driver: ChainDriver
  index: AssetIndex
  wallet: Wallet
}

const UNKNOWN = toTxid('f'.repeat(64))
/**
 * Few, so that the chain stays below block 150: there regtest halves its subsidy, while ord counts
 * as mainnet does and treats every sat beyond the smaller coinbase as lost.
 */
const COINS = 25

/** What every `AssetIndex` answers: recorded from ord 0.29.1 over Bitcoin Core 31.99. */
export function assetIndexContract(name: string, open: OpenChain): void {
  describe(`AssetIndex/${name}`, () => {
    const chain = {} as Indexed
    beforeAll(async () => {
      chain.driver = await open()
      chain.index = chain.driver.index
      chain.wallet = await openWallet(chain.driver, COINS)
    })
    afterAll(() => chain.driver?.close())

    locationContract(chain)
    movementContract(chain)
    contentContract(chain)
    followingContract(chain)
  })
}

/** Mines what is unconfirmed and lets the index see it. The hashes. */
async function settle({ driver }: Indexed, blocks = 1): Promise<readonly BlockHash[]> {
  const hashes = await driver.mine(blocks)
  await driver.syncIndex()
  return hashes
}

const assetsOf = ({ index }: Indexed, outpoint: Outpoint): Promise<OutputAssets | null> =>
  index.output(outpoint)

const EMPTY = { indexed: true, spent: false, inscriptions: [] }

function locationContract(chain: Indexed): void {
  test('an output without assets is indexed and empty', async () => {
    const coin = await chain.wallet.fund(chain.wallet.scriptHex, 10_000n)
    await settle(chain)
    expect(await assetsOf(chain, coin.outpoint)).toMatchObject(EMPTY)
  })

  test('an inscription is in its output at offset 0, by number', async () => {
    const { index, wallet, driver } = chain
    const { ids, coin } = await inscribe(driver, wallet, txOut(wallet.scriptHex, 10_000n))
    await settle(chain)
    const inscription = await index.inscription(ids[0] ?? '')
    expect(inscription).toEqual({
      id: ids[0],
      number: expect.any(Number),
      satpoint: { outpoint: coin.outpoint, offset: '0' },
    })
    expect(await assetsOf(chain, coin.outpoint)).toMatchObject({
      ...EMPTY,
      inscriptions: [{ id: ids[0], number: inscription?.number, offset: '0' }],
    })
  })

  test('a pointer puts the inscription on another sat of the output', async () => {
    const { wallet, driver } = chain
    const to = txOut(wallet.scriptHex, 10_000n)
    const { ids, coin } = await inscribe(driver, wallet, to, [{ pointer: 700 }])
    await settle(chain)
    expect((await assetsOf(chain, coin.outpoint))?.inscriptions).toMatchObject([
      { id: ids[0], offset: '700' },
    ])
  })

  test('two in one output are listed in the order of their sats, numbered one after the other', async () => {
    const { wallet, driver } = chain
    const to = txOut(wallet.scriptHex, 10_000n)
    const { ids, coin } = await inscribe(driver, wallet, to, [{ pointer: 5_000 }, { pointer: 10 }])
    await settle(chain)
    const [first, second] = (await assetsOf(chain, coin.outpoint))?.inscriptions ?? []
    expect(first).toMatchObject({ id: ids[1], offset: '10' })
    expect(second).toMatchObject({ id: ids[0], offset: '5000' })
    expect(second?.number).toBe((first?.number ?? 0) + 1)
  })

  test('two on one sat are both listed', async () => {
    const { wallet, driver } = chain
    const to = txOut(wallet.scriptHex, 10_000n)
    const { ids, coin } = await inscribe(driver, wallet, to, [{}, {}])
    await settle(chain)
    expect((await assetsOf(chain, coin.outpoint))?.inscriptions).toMatchObject([
      { id: ids[0], offset: '0' },
      { id: ids[1], offset: '0' },
    ])
  })

  test('a pointer past the first output reaches the next', async () => {
    const { index, wallet, driver } = chain
    const to = txOut(wallet.scriptHex, 10_000n)
    const { ids, coin } = await inscribe(driver, wallet, to, [{ pointer: 10_333 }], [to])
    await settle(chain)
    expect((await index.inscription(ids[0] ?? ''))?.satpoint).toEqual({
      outpoint: { txid: coin.outpoint.txid, vout: 1 },
      offset: '333',
    })
    expect(await assetsOf(chain, coin.outpoint)).toMatchObject(EMPTY)
  })

  test('many outputs together are answered as each alone, without places', async () => {
    const { index, wallet, driver } = chain
    const to = txOut(wallet.scriptHex, 10_000n)
    const inscribed = await inscribe(driver, wallet, to, [{}, {}])
    const plain = await wallet.fund(wallet.scriptHex, 10_000n)
    await settle(chain)
    const asked = [inscribed.coin.outpoint, plain.outpoint]
    const alone = await Promise.all(asked.map((outpoint) => index.output(outpoint)))
    expect(alone[0]?.inscriptions).toHaveLength(2)
    const expected = alone.map((one) => {
      if (!one?.inscriptions) throw new Error('both were made')
      const { inscriptions, ...examined } = one
      return { ...examined, inscriptionIds: inscriptions.map(({ id }) => id) }
    })
    expect(await index.contents(asked)).toEqual(expected)
  })

  test('an address has the outputs that blocks made for it and nothing spends', async () => {
    const { index, wallet, driver } = chain
    const owner = walletOf('p2wpkh', 'owner of an address')
    const address = addressOfScript(owner.scriptHex, 'regtest') ?? ''
    expect(await index.outputsOf(address)).toEqual([])
    const { coin } = await inscribe(driver, wallet, txOut(owner.scriptHex, 10_000n))
    const plain = await wallet.fund(owner.scriptHex, 20_000n)
    expect(await index.outputsOf(address)).toEqual([])
    await settle(chain)
    const owned = [
      { outpoint: coin.outpoint, valueSats: '10000', holdsInscriptions: true },
      { outpoint: plain.outpoint, valueSats: '20000', holdsInscriptions: false },
    ]
    const found = await index.outputsOf(address)
    expect(found).toHaveLength(2)
    expect(found).toEqual(expect.arrayContaining(owned))
  })

  test('for up to 25 inscriptions the offsets are given, for more none', async () => {
    const { index, wallet, driver } = chain
    const to = txOut(wallet.scriptHex, 10_000n)
    const pointers = (count: number) => Array.from({ length: count }, (_, at) => ({ pointer: at }))
    const most = await inscribe(driver, wallet, to, pointers(25))
    const more = await inscribe(driver, wallet, to, pointers(26))
    await settle(chain)
    const places = (await assetsOf(chain, most.coin.outpoint))?.inscriptions
    expect(places?.map(({ id, offset }) => [id, offset])).toEqual(
      most.ids.map((id, at) => [id, `${at}`]),
    )
    expect(await assetsOf(chain, more.coin.outpoint)).toMatchObject({
      indexed: true,
      inscriptions: null,
    })
    const [contents] = await index.contents([more.coin.outpoint])
    expect([...(contents?.inscriptionIds ?? [])].sort()).toEqual([...more.ids].sort())
  })

  test('what never existed is null: output, index, inscription', async () => {
    const { index, wallet } = chain
    const { outpoint } = await wallet.fund(wallet.scriptHex, 10_000n)
    await settle(chain)
    const asked = [
      { txid: UNKNOWN, vout: 0 },
      { ...outpoint, vout: 9 },
      outpoint,
      { ...outpoint, vout: 0x80000000 },
    ]
    const alone = await Promise.all(asked.map((one) => index.output(one)))
    for (const answers of [alone, await index.contents(asked)])
      expect(answers.map((answer) => answer === null)).toEqual([true, true, false, true])
    expect(await index.contents([])).toEqual([])
    expect(await index.inscription(`${outpoint.txid}i0`)).toBeNull()
  })
}

function movementContract(chain: Indexed): void {
  const inscribed = async (pointer = 0): Promise<Coin & { id: string }> => {
    const { wallet, driver } = chain
    const to = txOut(wallet.scriptHex, 10_000n)
    const { ids, coin } = await inscribe(driver, wallet, to, [{ pointer }])
    await settle(chain)
    return { ...coin, id: ids[0] ?? '' }
  }

  test('a sat moves first in, first out: padding before it shifts its offset', async () => {
    const { index, wallet, driver } = chain
    const asset = await inscribed(40)
    const padding = await wallet.fund(wallet.scriptHex, 600n)
    const moved = wallet.sign({
      inputs: [padding, asset],
      outputs: [txOut(wallet.scriptHex, 9_600n)],
    })
    await driver.submit(moved.toHex())
    await settle(chain)
    const { outpoint } = coinOf(moved, 0)
    expect((await assetsOf(chain, outpoint))?.inscriptions).toMatchObject([
      { id: asset.id, offset: '640' },
    ])
    expect((await index.inscription(asset.id))?.satpoint).toEqual({ outpoint, offset: '640' })
  })

  test('an output spent by a block is spent, empty and no longer indexed', async () => {
    const { wallet, driver } = chain
    const asset = await inscribed()
    const moved = wallet.sign({ inputs: [asset], outputs: [txOut(wallet.scriptHex, 9_000n)] })
    await driver.submit(moved.toHex())
    await settle(chain)
    expect(await assetsOf(chain, asset.outpoint)).toMatchObject({
      indexed: false,
      spent: true,
      inscriptions: [],
    })
  })

  test('in the mempool a spent output is spent but keeps its assets; the new one is not indexed', async () => {
    const { wallet, driver } = chain
    const asset = await inscribed()
    const moved = wallet.sign({ inputs: [asset], outputs: [txOut(wallet.scriptHex, 9_000n)] })
    await driver.submit(moved.toHex())
    expect(await assetsOf(chain, asset.outpoint)).toMatchObject({
      indexed: true,
      spent: true,
      inscriptions: [{ id: asset.id, offset: '0' }],
    })
    expect(await assetsOf(chain, coinOf(moved, 0).outpoint)).toMatchObject({
      indexed: false,
      spent: false,
      inscriptions: [],
    })
    await settle(chain)
  })

  test('an output that the mempool made and spends is unknown', async () => {
    const { wallet, driver } = chain
    const made = await wallet.fund(wallet.scriptHex, 10_000n)
    const moved = wallet.sign({ inputs: [made], outputs: [txOut(wallet.scriptHex, 9_000n)] })
    await driver.submit(moved.toHex())
    expect(await assetsOf(chain, made.outpoint)).toBeNull()
    await settle(chain)
    expect(await assetsOf(chain, made.outpoint)).toMatchObject({ indexed: false, spent: true })
  })

  test('a sat that is spent as fee arrives in the coinbase, after the subsidy', async () => {
    const { index, wallet, driver } = chain
    const asset = await inscribed(9_500)
    const moved = wallet.sign({ inputs: [asset], outputs: [txOut(wallet.scriptHex, 9_000n)] })
    await driver.submit(moved.toHex())
    const [hash = ''] = await settle(chain)
    const coinbase =
      (await driver.node.block(toBlockHash(hash)))?.transactions[0]?.txid ?? toTxid('')
    const mined = await driver.node.output({ txid: coinbase, vout: 0 })
    const reward = mined.status === 'absent' ? 0n : BigInt(mined.output.valueSats)
    expect((await index.inscription(asset.id))?.satpoint).toEqual({
      outpoint: { txid: coinbase, vout: 0 },
      offset: (reward - 500n).toString(),
    })
  })
}

function contentContract(chain: Indexed): void {
  const MAX = 4_000
  const LONG = 'long '.repeat(MAX)
  const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex')
  const contentOf = (id = '') =>
    chain.driver.contents.content(
      id,
      (type) => (type === 'text/html' ? 0 : MAX),
      AbortSignal.timeout(30_000),
    )

  test('content: bytes and type without a coding, nothing that may not be read, nothing of the mempool', async () => {
    const { wallet, driver } = chain
    const { ids } = await inscribe(driver, wallet, txOut(wallet.scriptHex, 10_000n), [
      { body: 'hello.sats', mediaType: 'text/plain;charset=utf-8' },
      { body: PNG, mediaType: 'image/png' },
      { body: brotliCompressSync('coded'), coding: 'br' },
      { body: gzipSync('coded'), coding: 'gzip' },
      { body: '' },
      { body: '<html>', mediaType: 'text/html' },
      { body: LONG },
      { body: brotliCompressSync(LONG), coding: 'br' },
      { body: 'not brotli', coding: 'br' },
      { body: 'unknown', coding: 'zstd' },
      { body: null },
    ])
    for (const id of [ids[0], `${UNKNOWN}i0`]) expect(await contentOf(id)).toBeNull()
    await settle(chain)
    const found = await Promise.all(ids.map(contentOf))
    const shown = found
      .slice(0, 5)
      .map((one) => one && [one.mediaType, Buffer.from(one.body).toString()])
    expect(shown).toEqual([
      ['text/plain;charset=utf-8', 'hello.sats'],
      ['image/png', PNG.toString()],
      ['text/plain', 'coded'],
      ['text/plain', 'coded'],
      ['text/plain', ''],
    ])
    expect(found.slice(0, 2).map((one) => one?.claimedBytes)).toEqual([10, PNG.length])
    expect(found.slice(5)).toMatchObject([
      { mediaType: 'text/html', body: 'not_admitted', claimedBytes: 6 },
      { mediaType: 'text/plain', body: 'too_large', claimedBytes: LONG.length },
      { mediaType: 'text/plain', body: 'too_large' },
      { mediaType: 'text/plain', body: 'undecodable' },
      { body: 'undecodable' },
      null,
    ])
  })

  test('content: its own, and not that of an inscription that it nominates in its place', async () => {
    const { wallet, driver } = chain
    const to = txOut(wallet.scriptHex, 10_000n)
    const { ids } = await inscribe(driver, wallet, to, [{ body: 'of another' }])
    await settle(chain)
    const copies = await inscribe(driver, wallet, to, [
      { body: null, delegate: ids[0] ?? '' },
      { body: 'its own', delegate: ids[0] ?? '' },
    ])
    await settle(chain)
    const [none, own] = await Promise.all(copies.ids.map(contentOf))
    expect(none).toBeNull()
    expect(Buffer.from(own?.body ?? '').toString()).toBe('its own')
  })
}

function followingContract(chain: Indexed): void {
  test('status: is at the tip of the node, and says what it indexes', async () => {
    await settle(chain)
    const { tip } = await chain.driver.node.chain()
    expect(await chain.index.status()).toEqual({
      tip: { height: tip.height, hash: tip.hash },
      version: expect.stringMatching(/./),
      build: expect.stringMatching(/./),
      unrecoverablyReorged: false,
      runes: expect.any(Boolean),
    })
  })

  test('a restart of the index changes nothing, its version included', async () => {
    const { index, driver } = chain
    await settle(chain)
    const before = await index.status()
    await driver.stopIndex()
    await expect(index.status()).rejects.toMatchObject({ reason: 'asset_index_unreachable' })
    const nowhere = { txid: UNKNOWN, vout: 0 }
    for (const ask of [() => index.output(nowhere), () => index.contents([nowhere])])
      await expect(ask()).rejects.toMatchObject({ reason: 'asset_index_unreachable' })
    await expect(index.inscription(`${UNKNOWN}i0`)).rejects.toMatchObject({
      reason: 'asset_index_unreachable',
    })
    await expect(
      driver.contents.content(`${UNKNOWN}i0`, () => 1, AbortSignal.timeout(30_000)),
    ).rejects.toMatchObject({ reason: 'asset_index_unreachable' })
    await driver.startIndex()
    expect(await index.status()).toEqual(before)
  })

  test('behind the node: its own tip, and new outputs are not indexed', async () => {
    const { index, wallet, driver } = chain
    await settle(chain)
    const before = await index.status()
    await driver.freezeIndex()
    const { ids, coin } = await inscribe(driver, wallet, txOut(wallet.scriptHex, 10_000n))
    await driver.mine(2)
    expect((await index.status()).tip).toEqual(before.tip)
    const unknown = { indexed: false, spent: false, inscriptions: [] }
    expect(await assetsOf(chain, coin.outpoint)).toMatchObject(unknown)
    expect(await index.inscription(ids[0] ?? '')).toBeNull()
    await driver.thawIndex()
    await driver.syncIndex()
    expect(await assetsOf(chain, coin.outpoint)).toMatchObject({ indexed: true, spent: false })
    expect((await index.inscription(ids[0] ?? ''))?.satpoint?.outpoint).toEqual(coin.outpoint)
  })

  test('an output whose transaction a reorg undid for good is unknown, and not spent', async () => {
    const { wallet, driver } = chain
    await settle(chain, 3)
    const coin = wallet.coin()
    const pays = (sats: bigint) =>
      wallet.sign({ inputs: [coin], outputs: [txOut(wallet.scriptHex, sats)] })
    const undone = pays(10_000n)
    await driver.submit(undone.toHex())
    const [lost = ''] = await settle(chain)
    const { outpoint } = coinOf(undone, 0)
    expect(await assetsOf(chain, outpoint)).toMatchObject({ indexed: true, spent: false })

    await driver.invalidate(lost)
    await driver.mineExactly([pays(20_000n).toHex()])
    await driver.mineExactly([])
    await driver.syncIndex()
    expect(await assetsOf(chain, outpoint)).toBeNull()
  })

  test('a reorg removes an inscription and brings it back, under the same version', async () => {
    const { index, wallet, driver } = chain
    await settle(chain, 3)
    const { version } = await index.status()
    const { ids, coin } = await inscribe(driver, wallet, txOut(wallet.scriptHex, 10_000n))
    const id = ids[0] ?? ''
    const [lost = ''] = await settle(chain)
    expect(await index.inscription(id)).not.toBeNull()

    await driver.invalidate(lost)
    for (let i = 0; i < 2; i++) await driver.mineExactly([])
    await driver.syncIndex()
    expect(await index.inscription(id)).toBeNull()
    expect(await assetsOf(chain, coin.outpoint)).toMatchObject({
      indexed: false,
      spent: false,
      inscriptions: [],
    })
    await settle(chain)
    expect((await index.inscription(id))?.satpoint).toEqual({
      outpoint: coin.outpoint,
      offset: '0',
    })
    expect(await index.status()).toMatchObject({ version, unrecoverablyReorged: false })
  })
}
