import { Transaction } from 'bitcoinjs-lib'
import { expect, test } from 'vitest'
import { bareTransaction } from '../../../src/domain/chain/bare-transaction.ts'
import type { StoredBlock } from '../../../src/ports/log/ingest-store.ts'
import { OutputRecord, SpendRecord } from '../../../src/schemas/log.ts'
import { type Routed, routeBlock, routeTransaction } from '../../../src/streams/ingest/route.ts'
import { toBlockHash, toTxid } from '../../support/ids.ts'

const at = '2030-01-01T00:00:00.000Z'
const P2WPKH = `0014${'11'.repeat(20)}`
const OP_RETURN = '6a026869'

function transaction(inputs: readonly [string, number][], scripts: readonly string[]) {
  const wire = new Transaction()
  for (const [txid, vout] of inputs)
    wire.addInput(Buffer.from(txid, 'hex').reverse(), vout, undefined, Buffer.from('51', 'hex'))
  for (const script of scripts) wire.addOutput(Buffer.from(script, 'hex'), 700n)
  return bareTransaction({ txid: toTxid(wire.getId()), hex: wire.toHex() })
}

const parent = 'ab'.repeat(32)
const coinbase = transaction([['00'.repeat(32), 0xffffffff]], [P2WPKH, OP_RETURN])
const spender = transaction(
  [
    [parent, 1],
    [parent, 7],
  ],
  [P2WPKH],
)
const child = transaction([[spender.txid, 0]], [P2WPKH, P2WPKH])
const block: StoredBlock = {
  height: 9,
  hash: toBlockHash('cd'.repeat(32)),
  prevHash: toBlockHash('ef'.repeat(32)),
  time: 1_700_000_000,
  transactions: [coinbase, spender, child],
}

const brief = (records: Iterable<Routed>) =>
  [...records].map((record) => `${record.kind} ${record.change} ${record.outpoint}`)

test('a transaction is routed output by output and input by input, and undone in reverse', () => {
  expect(brief(routeTransaction.forward({ ...spender, at }))).toEqual([
    `output seen ${spender.txid}:0`,
    `spend seen ${parent}:1`,
    `spend seen ${parent}:7`,
  ])
  expect(brief(routeTransaction.undo({ ...spender, at }))).toEqual([
    `spend dropped ${parent}:1`,
    `spend dropped ${parent}:7`,
    `output gone ${spender.txid}:0`,
  ])
})

test('a block is routed in its order and undone newest first; a stale coinbase is gone for good', () => {
  expect(brief(routeBlock.forward({ ...block, at }))).toEqual([
    `output confirmed ${coinbase.txid}:0`,
    `output confirmed ${spender.txid}:0`,
    `spend confirmed ${parent}:1`,
    `spend confirmed ${parent}:7`,
    `output confirmed ${child.txid}:0`,
    `output confirmed ${child.txid}:1`,
    `spend confirmed ${spender.txid}:0`,
  ])
  expect(brief(routeBlock.undo({ ...block, at }))).toEqual([
    `spend unconfirmed ${spender.txid}:0`,
    `output unconfirmed ${child.txid}:0`,
    `output unconfirmed ${child.txid}:1`,
    `spend unconfirmed ${parent}:1`,
    `spend unconfirmed ${parent}:7`,
    `output unconfirmed ${spender.txid}:0`,
    `output gone ${coinbase.txid}:0`,
  ])
})

test('a spend names its input, its block, the output it is paired with and the unsigned txid', () => {
  const { height, hash, time } = block
  const [first, second] = [...routeBlock.forward({ ...block, at })].filter(
    (record) => record.kind === 'spend',
  )
  expect(first?.spend).toEqual({
    txid: spender.txid,
    inputIndex: 0,
    unsignedTxid: expect.not.stringMatching(spender.txid),
    pairedOutput: { valueSats: '700', scriptHex: P2WPKH },
    block: { height, hash, time },
  })
  expect(second?.spend).toMatchObject({ inputIndex: 1, pairedOutput: null })
})

test('a paired script that can never be spent (over 10,000 bytes) counts as none', () => {
  const bloated = transaction([[parent, 1]], ['51'.repeat(10_001)])
  const [record] = [...routeTransaction.forward({ ...bloated, at })].filter(
    ({ kind }) => kind === 'spend',
  )
  expect(record).toMatchObject({ spend: { pairedOutput: null } })
})

test('every record is one that the schema of the log accepts', () => {
  const records = [
    ...routeBlock.forward({ ...block, at }),
    ...routeBlock.undo({ ...block, at }),
    ...routeTransaction.forward({ ...child, at }),
    ...routeTransaction.undo({ ...child, at }),
  ]
  for (const record of records)
    (record.kind === 'output' ? OutputRecord : SpendRecord).parse(record)
})
