import { expect, test } from 'vitest'
import type { SqlEngine } from '../../../src/adapters/clickhouse/engine/sql-engine.ts'
import { SqlHistory } from '../../../src/adapters/clickhouse/history.ts'
import { connectChdb } from '../../../src/adapters/embedded/stores/history.ts'
import { blockOf, pairingHistoryContract } from '../../contracts/pairing-history.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { hash } from '../../support/orders/evidence.ts'

async function openOnChdb() {
  const { path, drop } = temporaryDirectory()
  const engine = await connectChdb(path)
  const histories = new SqlHistory({ connect: async () => engine })
  return {
    engine,
    history: histories.pairing('test'),
    other: histories.pairing('other'),
    lose: (table: string, where: string) =>
      engine.run(`ALTER TABLE ${table} DELETE WHERE ${where} SETTINGS mutations_sync = 2`),
    close: async () => {
      await histories.close()
      drop()
    },
  }
}

pairingHistoryContract('chDB', openOnChdb)

/** Of blocks 1 and 2, the second of which was replaced. */
const LOG = 'SELECT height, block_hash, transaction_index, event_index FROM pairing_event_log'
const rowsOf = (engine: SqlEngine, sql: string) => engine.select(`${sql} ORDER BY ALL`, {})

test('the logs hold each row once, and only those of canonical blocks', async () => {
  const { engine, history, close } = await openOnChdb()
  const [one, stale, now] = [blockOf(1, 'a', [1, 0]), blockOf(2, 'a', [2]), blockOf(2, 'b', [1])]
  await history.write([one, stale])
  await history.write([one, stale])
  const [last] = await history.lastWritten(1)
  await history.markStale([last!])
  await history.write([now])
  const at = (height: number, branch: string) => ({
    height,
    block_hash: hash(`${branch} ${height}`),
  })
  expect(await rowsOf(engine, LOG)).toEqual([
    { ...at(1, 'a'), transaction_index: 1, event_index: 0 },
    { ...at(2, 'b'), transaction_index: 1, event_index: 0 },
  ])
  const transactions = 'SELECT height, txid, opcode, is_valid, reason FROM pairing_transaction_log'
  const mapped = { opcode: 1, is_valid: true, reason: null }
  expect(await rowsOf(engine, transactions)).toEqual(
    [
      { height: 1, txid: hash('a 1 0'), ...mapped },
      { height: 1, txid: hash('a 1 1'), opcode: null, is_valid: false, reason: 'multiple_markers' },
      { height: 2, txid: hash('b 2 0'), ...mapped },
    ].sort((a, b) => a.height - b.height || (a.txid < b.txid ? -1 : 1)),
  )
  const blocks = 'SELECT height, block_hash, event_count, is_canonical FROM pairing_blocks'
  expect(await rowsOf(engine, blocks)).toEqual(
    [
      { ...at(1, 'a'), event_count: 1, is_canonical: true },
      { ...at(2, 'a'), event_count: 2, is_canonical: false },
      { ...at(2, 'b'), event_count: 1, is_canonical: true },
    ].sort((a, b) => a.height - b.height || (a.block_hash < b.block_hash ? -1 : 1)),
  )
  await close()
})
