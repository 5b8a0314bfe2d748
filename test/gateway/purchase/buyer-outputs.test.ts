import { Transaction } from 'bitcoinjs-lib'
import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../../src/domain/script/script-template.ts'
import { buyerOutput, previousTransactions } from '../../../src/gateway/purchase/buyer-outputs.ts'
import { assetTrouble, type NamedOutput } from '../../../src/gateway/purchase/named-outputs.ts'
import type { BlockHash, Txid } from '../../../src/schemas/scalars.ts'
import { toBlockHash, toTxid } from '../../support/ids.ts'

const TEXT = `${'a'.repeat(64)}:1`

const named = (changes: Partial<NamedOutput> = {}, scriptHex = `0014${'22'.repeat(20)}`) => ({
  outpoint: { txid: toTxid('a'.repeat(64)), vout: 1 },
  answer: {
    status: 'unspent' as const,
    output: { scriptHex, valueSats: '5000' },
    coinbase: false,
    confirmations: 3,
    bestBlock: toBlockHash('b'.repeat(64)),
  },
  height: 98,
  assets: { indexed: true, spent: false, inscriptionIds: [], runes: [] },
  mempoolSpender: null,
  ...changes,
})

test('an output known to be empty may be spent', () => {
  expect(buyerOutput(named(), 100)).toMatchObject({ isSizeAssumed: false, runesExamined: true })
  expect(assetTrouble(named())).toBeNull()
})

test('runes in an output are named (ord#4156)', () => {
  const runes = [{ name: 'UNCOMMONGOODS', amount: '7' }]
  const holding = named({ assets: { indexed: true, spent: false, inscriptionIds: [], runes } })
  expect(assetTrouble(holding)?.code).toBe('input_holds_runes')
  expect(buyerOutput(holding, 100)).toBe(`${TEXT} holds the rune UNCOMMONGOODS`)
})

test('a script with an unknown spend has no size', () => {
  expect(buyerOutput(named({}, '51024e73'), 100)).toBe(
    `${TEXT}: the size of a spend of its script is unknown`,
  )
})

describe('previous transactions', () => {
  const P2PKH = `76a914${'55'.repeat(20)}88ac`
  const HEIGHT = 98

  /** A transaction of legacy outputs, with a large script and a large witness. */
  function fat(scriptBytes: number, witnessBytes: number): Transaction {
    const made = new Transaction()
    made.addInput(new Uint8Array(32).fill(7), 0, 1, new Uint8Array(scriptBytes))
    made.setWitness(0, [new Uint8Array(witnessBytes)])
    for (let at = 0; at < 16; at += 1) made.addOutput(bytesOf(P2PKH), 5_000n)
    return made
  }

  async function ask(made: Transaction, count: number) {
    const asked: string[] = []
    const outputs = Array.from({ length: count }, (_, vout) => ({
      ...named({ height: HEIGHT }, P2PKH),
      outpoint: { txid: toTxid(made.getId()), vout },
    }))
    const node = {
      blockHash: async (height: number) => {
        asked.push(`block ${height}`)
        return toBlockHash('b'.repeat(64))
      },
      transaction: async (txid: Txid, blockHash?: BlockHash) => {
        asked.push('transaction')
        return { txid, hex: made.toHex(), blockHash: blockHash ?? null }
      },
    }
    const found = await previousTransactions(node, outputs)
    return { asked, found }
  }

  test('are each requested once, and kept without witnesses', async () => {
    const made = fat(10, 100_000)
    const { asked, found } = await ask(made, 16)
    expect(asked).toEqual([`block ${HEIGHT}`, 'transaction'])
    const kept = found.get(made.getId())
    expect(kept?.length).toBeLessThan(1_000)
    expect(Transaction.fromBuffer(kept ?? new Uint8Array()).getId()).toBe(made.getId())
  })

  test('take up at most 256 KiB, counted for every input that carries one', async () => {
    const size = fat(0, 1).toBuffer().length
    const made = fat(262_144 / 16 - size - 10, 1)
    await expect(ask(made, 16)).resolves.toBeDefined()
    await expect(ask(fat(262_144 / 16, 1), 16)).rejects.toThrow('are larger than 262144 bytes')
    await expect(ask(fat(262_144, 1), 1)).rejects.toThrow('are larger than 262144 bytes')
  })
})
