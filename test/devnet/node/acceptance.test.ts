import { payments, type Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  bytesOf,
  coinOf,
  hexOf,
  openWallet,
  txOut,
  unsigned,
  type Wallet,
} from '../../support/chain/wallet.ts'
import { type DevnetDriver, openDevnetDriver } from '../devnet-driver.ts'

let driver: DevnetDriver
let wallet: Wallet

beforeAll(async () => {
  driver = await openDevnetDriver()
  wallet = await openWallet(driver, 40)
})
afterAll(() => driver.close())

const own = (sats: bigint) => txOut(wallet.scriptHex, sats)

const reasonOf = async (transaction: Transaction): Promise<string | null> =>
  (await driver.node.testAccept([transaction.toHex()]))[0]?.rejectReason ?? null

/** Spends, by this leaf, an output that commits to `committed`. */
async function scriptSpend(leafHex: string, committed = leafHex): Promise<Transaction> {
  const output = bytesOf(committed)
  const payment = payments.p2tr({
    internalPubkey: wallet.xonly,
    scriptTree: { output },
    redeem: { output, redeemVersion: 0xc0 },
  })
  const script = payment.output ?? new Uint8Array()
  const commit = wallet.pay([txOut(hexOf(script), 20_000n)])
  await driver.submit(commit.toHex())
  const reveal = unsigned({ inputs: [coinOf(commit, 0)], outputs: [own(10_000n)] })
  const digest = reveal.hashForWitnessV1(0, [script], [20_000n], 0, payment.hash)
  const control = payment.witness?.at(-1) ?? new Uint8Array()
  reveal.setWitness(0, [wallet.schnorr(digest), bytesOf(leafHex), control])
  return reveal
}

/** `OP_0 OP_IF "ord" 01 "x" OP_0 "abc" OP_ENDIF`. */
const ENVELOPE = '0063036f726401010178000361626368'

test('tapscript: the reveal of an inscription is checked, and nothing else', async () => {
  const key = `20${hexOf(wallet.xonly)}`
  const reveal = `${key}ac${ENVELOPE}`
  expect(await reasonOf(await scriptSpend(reveal))).toBeNull()
  expect(await reasonOf(await scriptSpend(`${reveal}${ENVELOPE}`))).toBeNull()

  const failed = /^mempool-script-verify-flag-failed \(Invalid Schnorr signature\)$/
  const elsewhere = await scriptSpend(`${key}ac${ENVELOPE}${ENVELOPE}`, reveal)
  expect(await reasonOf(elsewhere)).toMatch(failed)
  const broken = await scriptSpend(reveal)
  const [signature, ...rest] = broken.ins[0]?.witness ?? []
  broken.setWitness(0, [(signature ?? new Uint8Array()).with(3, 1), ...rest])
  expect(await reasonOf(broken)).toMatch(failed)

  const unknown = /the devnet cannot judge this kind of script/
  for (const leaf of [`${key}ac`, `${key}ad51`, `${key}ac${ENVELOPE}75`, `51`])
    expect(await reasonOf(await scriptSpend(leaf)), leaf).toMatch(unknown)
})

test('replacement: more fee for less feerate is refused, as miners would lose', async () => {
  const coin = await wallet.fund(wallet.scriptHex, 100_000n)
  await driver.mine(1)
  const small = wallet.sign({ inputs: [coin], outputs: [own(98_000n)] })
  await driver.submit(small.toHex())
  const outputs = Array.from({ length: 20 }, () => own(4_800n))
  const large = wallet.sign({ inputs: [coin], outputs })
  expect(await reasonOf(large)).toBe('replacement-failed')
})

test('a cluster accepts 64 transactions', async () => {
  let last = wallet.pay([])
  await driver.submit(last.toHex())
  for (let size = 1; size < 64; size++) {
    const coin = coinOf(last, 0)
    last = wallet.sign({
      inputs: [coin],
      outputs: [own(BigInt(coin.output.valueSats) - 1_000n)],
    })
    await driver.submit(last.toHex())
  }
  const coin = coinOf(last, 0)
  const cheap = wallet.sign({
    inputs: [coin],
    outputs: [own(BigInt(coin.output.valueSats) - 1_000n)],
  })
  expect(await reasonOf(cheap)).toBe('too-large-cluster')
  await driver.mine(1)
  expect(await reasonOf(cheap)).toBeNull()
})

test('version 3: one child of one parent, which a sibling may replace', async () => {
  const coin = await wallet.fund(wallet.scriptHex, 100_000n)
  await driver.mine(1)
  const sign = (inputs: Parameters<Wallet['sign']>[0]['inputs'], sats: bigint[], version = 3) =>
    wallet.sign({ inputs, outputs: sats.map(own), version })
  const parent = sign([coin], [49_000n, 49_000n])
  await driver.submit(parent.toHex())
  expect(await reasonOf(sign([coinOf(parent, 0)], [48_000n], 2))).toBe('TRUC-violation')
  const child = sign([coinOf(parent, 0)], [48_000n])
  await driver.submit(child.toHex())
  expect(await reasonOf(sign([coinOf(child, 0)], [47_000n]))).toBe('TRUC-violation')
  expect(await reasonOf(sign([coinOf(parent, 1)], [48_000n]))).toBe('insufficient fee')
  const sibling = sign([coinOf(parent, 1)], [40_000n])
  await driver.submit(sibling.toHex())
  expect([...(await driver.node.mempool()).txids].sort()).toEqual(
    [parent.getId(), sibling.getId()].sort(),
  )
})
