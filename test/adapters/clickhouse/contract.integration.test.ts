import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { openClickHouseHistory } from '../../../src/adapters/clickhouse/clickhouse.ts'
import { historyContract } from '../../contracts/history.ts'
import { ClickHouseServer, WRITER } from '../../support/clickhouse/server.ts'

let server: ClickHouseServer
beforeAll(async () => {
  server = await ClickHouseServer.start()
})
afterAll(() => server.stop())

historyContract('ClickHouse', async () => {
  const database = `market_${randomUUID().replaceAll('-', '')}`
  const open = () => openClickHouseHistory({ url: server.url, ...WRITER, database })
  let history = open()
  return {
    history,
    reopen: async () => {
      await history.close()
      history = open()
      return history
    },
    close: async () => {
      await history.close()
      await server.query('default', `DROP DATABASE IF EXISTS ${database}`)
    },
  }
})
