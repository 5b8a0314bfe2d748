import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operatorProblem } from '../../../src/operator/operator-problem.ts'
import { HistoryRefusedError } from '../../../src/ports/views/history.ts'
import { createContext } from '../../../src/roles/context/runtime-context.ts'
import { openHistory } from '../../../src/roles/open/open-history.ts'
import { Config } from '../../../src/schemas/config/config.ts'
import { ClickHouseServer, READER, WRITER } from '../../support/clickhouse/server.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { bookOf } from '../../support/orders/order-book.ts'
import { lifeOf } from '../../support/orders/order-changes.ts'
import { freePort } from '../../support/services/programs.ts'

let server: ClickHouseServer
const { path, drop } = temporaryDirectory()
beforeAll(async () => {
  server = await ClickHouseServer.start()
})
afterAll(async () => {
  await server.stop()
  drop()
})

const STORED = lifeOf(bookOf(1, 3)).changes.map((change, offset) => ({
  partition: 0,
  offset,
  change,
}))
const of = ({ user, password }: { user: string; password: string }) => ({
  CLICKHOUSE_USER: user,
  CLICKHOUSE_PASSWORD: password,
})
const APART = {
  KAFKA_BROKERS: '127.0.0.1:9092',
  REDIS_URL: 'redis://127.0.0.1:6379',
  CURSOR_KEY: 'k'.repeat(32),
  DEVNET: 'off',
}

async function open(variables: Record<string, string>) {
  const lines: string[] = []
  const write = (line: Buffer, _encoding: string, done: () => void) => {
    lines.push(line.toString())
    done()
  }
  const logger = pino(new Writable({ write }))
  const config = Config.parse({ DATA_DIR: path, ...variables })
  const context = createContext(config, { logger })
  const { closer } = context
  const opening = openHistory(context)
  const history = await opening.catch(async (error: unknown) => {
    await closer.close()
    throw error
  })
  return { history, lines, close: () => closer.close() }
}

test('the projector writes to ClickHouse what a gateway with a reader of its own reads', async () => {
  const there = { ...APART, CLICKHOUSE_URL: server.url }
  const projector = await open({ ...there, ...of(WRITER), ROLE: 'projector' })
  await projector.history.record(STORED)
  const gateway = await open({ ...there, ...of(READER), ROLE: 'gateway' })
  const { entries } = await gateway.history.activity({ limit: 10 })
  expect(entries.length).toBe(STORED.length)
  expect([...gateway.lines, ...projector.lines]).toEqual([])
  await gateway.close()
  await projector.close()
})

test('without CLICKHOUSE_URL it is chDB in DATA_DIR', async () => {
  const { history, close } = await open({})
  await history.record(STORED)
  expect(await history.position(0)).toBe(STORED.length)
  await close()
})

test('an unavailable ClickHouse does not stop the start, and is reported without its password', async () => {
  const { history, lines, close } = await open({
    CLICKHOUSE_URL: `http://127.0.0.1:${await freePort()}`,
    ...of(WRITER),
  })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/"level":50.*"part":"history".*"msg":"a part is away"/)
  expect(lines[0]).not.toContain(WRITER.password)
  await expect(history.probe()).rejects.toThrow('no answer from ClickHouse')
  await close()
})

test('one that refuses stops the start with the fix', async () => {
  const opening = open({ CLICKHOUSE_URL: server.url, ...of({ ...WRITER, password: 'wrong' }) })
  const error = await opening.catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(HistoryRefusedError)
  expect(operatorProblem(error)).toMatch(
    /^ClickHouse rejected the user market or its password: set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD /,
  )
})
