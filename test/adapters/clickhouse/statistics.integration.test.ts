import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { openClickHouseHistory } from '../../../src/adapters/clickhouse/clickhouse.ts'
import { statisticsContract } from '../../contracts/statistics.ts'
import { ClickHouseServer, WRITER } from '../../support/clickhouse/server.ts'

let server: ClickHouseServer
beforeAll(async () => {
  server = await ClickHouseServer.start()
})
afterAll(() => server.stop())

statisticsContract('ClickHouse', async () => {
  const database = `market_${randomUUID().replaceAll('-', '')}`
  const history = openClickHouseHistory({ url: server.url, ...WRITER, database })
  return {
    history,
    statistics: history.statistics(),
    close: async () => {
      await history.close()
      await server.query('default', `DROP DATABASE IF EXISTS ${database}`)
    },
  }
})
