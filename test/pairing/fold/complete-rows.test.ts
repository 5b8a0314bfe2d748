import fc from 'fast-check'
import { expect, test } from 'vitest'
import { completeSome } from '../../../src/pairing/fold/complete-rows.ts'
import { openPairingIndex } from '../../../src/pairing/fold/pairing-index.ts'
import type { PairingStore } from '../../../src/ports/folds/pairing-store.ts'
import { memoryPairingStore } from '../../support/folds/memory-pairing-store.ts'
import { toBlockHash, toTxid } from '../../support/ids.ts'
import { drawnBlocks, mineDrawn } from '../../support/pairing/pairing-lives.ts'
import { SETTINGS } from '../../support/pairing/pairing-story.ts'

const ALL = { from: '', below: '~' }
const eventRowsOf = (store: PairingStore) =>
  store.read(({ rows }) => [...rows.range(ALL)].filter(({ key }) => key.startsWith('event:')))

test('rows that an earlier release did not store are rebuilt, and undone with their blocks', async () => {
  await fc.assert(
    fc.asyncProperty(drawnBlocks(5), async (drawn) => {
      const store = memoryPairingStore()
      const index = openPairingIndex({ store, settings: SETTINGS })
      const blocks = mineDrawn(drawn)
      await index.connect(blocks)
      const rows = eventRowsOf(store)
      await store.write((tables) => {
        for (const { key } of rows) tables.rows.remove(key)
      })
      await openPairingIndex({ store, settings: SETTINGS }).completeRows(async () => {})
      expect(eventRowsOf(store)).toEqual(rows)
      // Once: nothing is read again at the next start.
      expect(await store.write(completeSome)).toBe(true)
      for (const _block of blocks) await index.disconnect()
      expect(eventRowsOf(store)).toEqual([])
    }),
    { numRuns: 20 },
  )
})

test('an interrupted start continues where it stopped', async () => {
  const store = memoryPairingStore()
  await store.write(({ undo, rows, transactions, events }) => {
    for (let height = 0; height < 450; height += 1) {
      const txid = toTxid(String(height).padStart(64, '0'))
      const of = { txid, height, blockHash: toBlockHash('ab'.repeat(32)) }
      undo.put(height, { objects: [], carriers: [], txids: [txid] })
      transactions.put(txid, {
        ...of,
        transactionIndex: 1,
        opcode: 1,
        valid: true,
        reason: null,
      })
      const event = { ...of, eventIndex: 0, from: null, to: null, pairId: null }
      events.put(txid, [{ ...event, kind: 'object_created', objectKey: 'cd'.repeat(32) }])
    }
    expect([...rows.range(ALL)]).toEqual([])
  })
  expect(await store.write(completeSome)).toBe(false)
  expect(eventRowsOf(store)).toHaveLength(200)
  const index = openPairingIndex({ store, settings: SETTINGS })
  let turns = 0
  await index.completeRows(async () => {
    turns += 1
  })
  expect(turns).toBe(1)
  expect(eventRowsOf(store)).toHaveLength(450)
})
