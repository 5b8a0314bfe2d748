import { Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bareTransaction } from '../../../src/domain/chain/bare-transaction.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import { newsText } from '../../../src/streams/ingest/news-text.ts'
import { routeBlock, routeTransaction } from '../../../src/streams/ingest/route.ts'
import { blockRecords } from '../../../src/streams/ingest/step-records.ts'
import { toBlockHash, toTxid } from '../../support/ids.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const hex = bytes(32).map((some) => Buffer.from(some).toString('hex'))
const transaction = fc
  .record({
    ins: fc.array(fc.tuple(bytes(32), fc.nat(0xffff_ffff)), { minLength: 1, maxLength: 6 }),
    outs: fc.array(fc.tuple(fc.uint8Array({ maxLength: 80 }), fc.bigInt(0n, 21n * 10n ** 14n)), {
      minLength: 1,
      maxLength: 6,
    }),
  })
  .map(({ ins, outs }) => {
    const wire = new Transaction()
    for (const [txid, vout] of ins) wire.addInput(txid, vout)
    for (const [script, value] of outs) wire.addOutput(script, value)
    return bareTransaction({ txid: toTxid(wire.getId()), hex: wire.toHex() })
  })
const block = fc.record({
  height: fc.nat(),
  hash: hex.map(toBlockHash),
  prevHash: hex.map(toBlockHash),
  time: fc.nat(0xffff_ffff),
  transactions: fc.array(transaction, { maxLength: 5 }),
  at: fc
    .date({ min: new Date(0), max: new Date('2106-01-01T00:00:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
})

test('the text of news is what JSON.stringify makes of it, whatever happened to its output', () => {
  fc.assert(
    fc.property(block, (one) => {
      const news = [
        ...routeBlock.forward(one),
        ...routeBlock.undo(one),
        ...one.transactions.flatMap((bare) => [
          ...routeTransaction.forward({ ...bare, at: one.at }),
          ...routeTransaction.undo({ ...bare, at: one.at }),
        ]),
      ]
      for (const record of news) expect(newsText(record)).toBe(JSON.stringify(record))
    }),
  )
})

test('a record of the inbox has the text of its own value', () => {
  fc.assert(
    fc.property(block, (one) => {
      const records = [...blockRecords('connect', one, { partitions: 4, at: one.at })]
      const inbox = records.filter(({ topic }) => topic === TOPICS.inbox)
      for (const { value, text } of inbox) expect(text?.()).toBe(JSON.stringify(value))
    }),
  )
})
