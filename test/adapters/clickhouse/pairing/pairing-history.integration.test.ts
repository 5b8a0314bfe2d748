import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { openClickHouseHistory } from '../../../../src/adapters/clickhouse/clickhouse.ts'
import { pairingHistoryContract } from '../../../contracts/pairing-history.ts'
import { ClickHouseServer, WRITER } from '../../../support/clickhouse/server.ts'

let server: ClickHouseServer
beforeAll(async () => {
  server = await ClickHouseServer.start()
})
afterAll(() => server.stop())

pairingHistoryContract('ClickHouse', async () => {
  const database = `market_${randomUUID().replaceAll('-', '')}`
  const histories = openClickHouseHistory({ url: server.url, ...WRITER, database })
  return {
    history: histories.pairing('test'),
    other: histories.pairing('other'),
    lose: async (table, where) => {
      const sql = `ALTER TABLE ${table} DELETE WHERE ${where} SETTINGS mutations_sync = 2`
      await server.query(database, sql)
    },
    close: async () => {
      await histories.close()
      await server.query('default', `DROP DATABASE IF EXISTS ${database}`)
    },
  }
})
