import { Psbt, Transaction } from 'bitcoinjs-lib'
import { expect, test } from 'vitest'
import { bytesOf, type Coin, coinOf, txOut, unsigned } from '../support/chain/wallet.ts'
import { toBlockHash } from '../support/ids.ts'
import { type ContractChain, spend } from './full-node.ts'

const ANYONE_ACP_SINGLE = Transaction.SIGHASH_SINGLE | Transaction.SIGHASH_ANYONECANPAY

/** What the node says of unsent transactions and of signed inputs. */
export function acceptanceContract(chain: ContractChain): void {
  const reasonOf = async (transaction: Transaction): Promise<string | null> => {
    const [answer] = await chain.node.testAccept([transaction.toHex()])
    expect(answer?.txid).toBe(transaction.getId())
    expect(answer?.allowed).toBe(answer?.rejectReason === null)
    return answer?.rejectReason ?? null
  }
  const coin = async (sats = 50_000n): Promise<Coin> => {
    const funded = await chain.wallet.fund(chain.wallet.scriptHex, sats)
    await chain.driver.mine(1)
    return funded
  }
  const own = (sats: bigint) => txOut(chain.wallet.scriptHex, sats)

  test('testAccept: allowed, with size and fee; each alone, so that conflicts do not meet', async () => {
    const input = await coin()
    const one = spend(chain, input, 1_000n)
    const other = spend(chain, input, 3_000n)
    const answers = await chain.node.testAccept([one.toHex(), other.toHex()])
    expect(answers).toEqual(
      [one, other].map((transaction, i) => ({
        txid: transaction.getId(),
        allowed: true,
        vsize: transaction.virtualSize(),
        feesSats: ['1000', '3000'][i],
        rejectReason: null,
      })),
    )
    expect(await chain.node.testAccept([])).toEqual([])
  })

  test('testAccept: a replacement is allowed when it pays more', async () => {
    const input = await coin()
    const first = spend(chain, input)
    await chain.driver.submit(first.toHex())
    expect(await reasonOf(first)).toBe('txn-already-in-mempool')
    expect(await reasonOf(spend(chain, input, 1_001n))).toBe('insufficient fee')
    expect(await reasonOf(spend(chain, input, 20_000n))).toBeNull()
    await chain.driver.mine(1)
    expect(await reasonOf(first)).toBe('txn-already-known')
  })

  test('testAccept: inputs that are missing, or not yet spendable', async () => {
    const gone = await coin()
    await chain.driver.submit(spend(chain, gone).toHex())
    await chain.driver.mine(1)
    expect(await reasonOf(spend(chain, gone, 2_000n))).toBe('missing-inputs')

    const [hash = ''] = await chain.driver.mine(1, chain.wallet.scriptHex)
    const coinbase = (await chain.node.block(toBlockHash(hash)))?.transactions[0]
    const young = coinOf(Transaction.fromHex(coinbase?.hex ?? ''), 0)
    expect(await reasonOf(spend(chain, young))).toBe('bad-txns-premature-spend-of-coinbase')
  })

  test('testAccept: fees', async () => {
    const input = await coin()
    expect(await reasonOf(spend(chain, input, 0n))).toBe('min relay fee not met')
    expect(await reasonOf(spend(chain, input, -1n))).toBe('bad-txns-in-belowout')
    const rich = chain.wallet.coin()
    expect(await reasonOf(spend(chain, rich, 10_000_000n))).toBe('max-fee-exceeded')
  })

  test('testAccept: locks on height and on the age of the coin', async () => {
    const input = await coin()
    const outputs = [own(40_000n)]
    const { tip } = await chain.node.chain()
    const locked = (locktime: number, sequence = 0xfffffffd) =>
      chain.wallet.sign({ inputs: [{ ...input, sequence }], outputs, locktime })
    expect(await reasonOf(locked(tip.height + 1))).toBe('non-final')
    expect(await reasonOf(locked(tip.height))).toBeNull()
    expect(await reasonOf(locked(tip.height + 1, 0xffffffff))).toBeNull()

    const aged = (sequence: number) =>
      chain.wallet.sign({ inputs: [{ ...input, sequence }], outputs, version: 2 })
    expect(await reasonOf(aged(2))).toBe('non-BIP68-final')
    expect(await reasonOf(aged(1))).toBeNull()
    const young = await chain.wallet.fund(chain.wallet.scriptHex, 50_000n)
    const youngAged = chain.wallet.sign({
      inputs: [{ ...young, sequence: 1 }],
      outputs,
      version: 2,
    })
    expect(await reasonOf(youngAged)).toBe('non-BIP68-final')
  })

  test('testAccept: what the network does not relay', async () => {
    const input = await coin()
    const paying = (scriptHex: string, sats: bigint) =>
      chain.wallet.sign({ inputs: [input], outputs: [txOut(scriptHex, sats)] })
    const { scriptHex } = chain.wallet
    expect(await reasonOf(paying(scriptHex, 329n))).toBe('dust')
    expect(await reasonOf(paying(scriptHex, 330n))).toBeNull()
    expect(await reasonOf(paying(`0014${'00'.repeat(20)}`, 293n))).toBe('dust')
    expect(await reasonOf(paying(`0014${'00'.repeat(20)}`, 294n))).toBeNull()
    expect(await reasonOf(paying('51', 10_000n))).toBe('scriptpubkey')
    expect(await reasonOf(paying('6a0464617461', 0n))).toBeNull()
    const versions = [0, 1, 2, 3, 4].map((version) =>
      chain.wallet.sign({ inputs: [input], outputs: [own(40_000n)], version }),
    )
    expect(await Promise.all(versions.map(reasonOf))).toEqual([
      'version',
      null,
      null,
      null,
      'version',
    ])
  })

  test('testAccept: a signature that does not verify, and none', async () => {
    const input = await coin()
    const broken = spend(chain, input)
    broken.setWitness(0, [new Uint8Array(64).fill(1)])
    expect(await reasonOf(broken)).toMatch(/^mempool-script-verify-flag-failed/)
    const bare = unsigned({ inputs: [input], outputs: [own(40_000n)] })
    expect(await reasonOf(bare)).toMatch(/^mempool-script-verify-flag-failed/)
  })

  test('testAccept: bytes that are not a transaction are refused as such', async () => {
    expect(await chain.node.testAccept(['00'])).toEqual([
      { txid: '', allowed: false, vsize: null, feesSats: null, rejectReason: 'TX decode failed' },
    ])
  })

  test('feeRate: is enough to be accepted', async () => {
    const rate = await chain.node.feeRate()
    expect(rate).toMatch(/^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/)
    const input = await coin()
    const { length } = spend(chain, input).toBuffer()
    expect(await reasonOf(spend(chain, input, BigInt(Math.ceil(length * Number(rate)))))).toBeNull()
  })

  test('feeEstimates: one for each number of blocks, not below the minimum, or none', async () => {
    const minimum = Number(await chain.node.minimumFeeRate())
    const estimates = await chain.node.feeEstimates([2, 6, 144])
    expect(estimates).toHaveLength(3)
    for (const rate of estimates) {
      if (rate !== null) expect(Number(rate)).toBeGreaterThanOrEqual(minimum)
    }
  })

  test('minimumFeeRate: is enough to be accepted, and not above feeRate', async () => {
    const rate = await chain.node.minimumFeeRate()
    expect(rate).toMatch(/^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/)
    expect(Number(rate)).toBeLessThanOrEqual(Number(await chain.node.feeRate()))
    const input = await coin()
    const { length } = spend(chain, input).toBuffer()
    expect(await reasonOf(spend(chain, input, BigInt(Math.ceil(length * Number(rate)))))).toBeNull()
  })

  test('inputIsFinal: a finalised input whose script runs to true', async () => {
    const { node, wallet } = chain
    const input = await coin()
    const ask = unsigned({ inputs: [input], outputs: [own(90_000n)] })
    const digest = ask.hashForWitnessV1(
      0,
      [bytesOf(wallet.scriptHex)],
      [BigInt(input.output.valueSats)],
      ANYONE_ACP_SINGLE,
    )
    const signature = Uint8Array.of(...wallet.schnorr(digest), ANYONE_ACP_SINGLE)
    const psbt = (
      witness: Uint8Array | null,
      sats = input.output.valueSats,
      utxo = true,
    ): string => {
      const made = Psbt.fromHex(psbtHexOf(ask))
      if (utxo)
        made.updateInput(0, {
          witnessUtxo: { script: bytesOf(wallet.scriptHex), value: BigInt(sats) },
        })
      if (witness !== null)
        made.updateInput(0, { finalScriptWitness: Uint8Array.of(1, witness.length, ...witness) })
      return made.toBase64()
    }
    const broken = signature.with(5, (signature[5] ?? 0) ^ 1)
    expect(await node.inputIsFinal(psbt(signature), 0)).toBe(true)
    expect(await node.inputIsFinal(psbt(broken), 0)).toBe(false)
    expect(await node.inputIsFinal(psbt(signature.subarray(0, 64)), 0)).toBe(false)
    expect(await node.inputIsFinal(psbt(signature, '50001'), 0)).toBe(false)
    expect(await node.inputIsFinal(psbt(signature, undefined, false), 0)).toBe(false)
    expect(await node.inputIsFinal(psbt(null), 0)).toBe(false)
    expect(await node.inputIsFinal(psbt(signature), 1)).toBe(false)
    expect(await node.inputIsFinal('cHNidP8=', 0)).toBe(false)
  })
}

/** The empty PSBT of BIP174 around a transaction: magic, global 00, and empty maps. */
function psbtHexOf(transaction: Transaction): string {
  const body = transaction.toBuffer()
  const length =
    body.length < 0xfd ? Buffer.of(body.length) : Buffer.of(0xfd, body.length, body.length >> 8)
  const parts = Buffer.alloc(1 + transaction.ins.length + transaction.outs.length)
  return Buffer.concat([Buffer.from('70736274ff0100', 'hex'), length, body, parts]).toString('hex')
}
