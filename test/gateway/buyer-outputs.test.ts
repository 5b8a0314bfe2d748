import { expect, test } from 'vitest'
import { buyerOutput } from '../../src/gateway/buyer-outputs.ts'
import { assetTrouble, type NamedOutput } from '../../src/gateway/named-outputs.ts'

const TEXT = `${'a'.repeat(64)}:1`

const named = (changes: Partial<NamedOutput> = {}, scriptHex = `0014${'22'.repeat(20)}`) => ({
  outpoint: { txid: 'a'.repeat(64), vout: 1 },
  answer: {
    status: 'unspent' as const,
    output: { scriptHex, valueSats: '5000' },
    coinbase: false,
    confirmations: 3,
    bestBlock: 'b'.repeat(64),
  },
  height: 98,
  assets: { indexed: true, spent: false, inscriptions: [], runes: [] },
  mempoolSpender: null,
  ...changes,
})

test('an output that is known to be empty may be spent', () => {
  expect(buyerOutput(named(), 100)).toMatchObject({ isSizeAssumed: false, runesExamined: true })
  expect(assetTrouble(named())).toBeNull()
})

test('runes in an output are named (ord#4156)', () => {
  const runes = [{ name: 'UNCOMMONGOODS', amount: '7' }]
  const holding = named({ assets: { indexed: true, spent: false, inscriptions: [], runes } })
  expect(assetTrouble(holding)?.code).toBe('input_holds_runes')
  expect(buyerOutput(holding, 100)).toBe(`${TEXT} holds the rune UNCOMMONGOODS`)
})

test('a script that nobody can tell the spend of has no size', () => {
  expect(buyerOutput(named({}, '51024e73'), 100)).toBe(
    `${TEXT}: the size of a spend of its script cannot be told`,
  )
})
