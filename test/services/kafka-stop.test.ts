import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CrashPoint } from '../../src/ports/log/crash-points.ts'
import { openLogger } from '../../src/roles/observe/logger.ts'
import { runSingleRole } from '../../src/roles/single-role.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { type OpenedKafkaLog, openKafkaLog } from '../support/log/kafka-log.ts'
import { KafkaServer, QUICK_GROUPS } from '../support/services/kafka.ts'
import { freePort, waitUntil } from '../support/services/programs.ts'

// A stop that begins in the middle of a step: with Kafka a partition opens its store after all else,
// and it was closed first (`Can not renew a transaction from a closed database`).

const PARTITIONS = 4
const POINTS: readonly CrashPoint[] = ['before consume', 'after compute', 'after offset']

let server: KafkaServer
let opened: OpenedKafkaLog
const directory = temporaryDirectory()

beforeAll(async () => {
  server = await KafkaServer.start(QUICK_GROUPS)
  opened = await openKafkaLog(server, { partitions: PARTITIONS })
})
afterAll(async () => {
  await opened?.close()
  await server?.stop()
  directory.drop()
})

/** How long a client holds up the stop: a partition that failed has begun again by then. */
const HELD_MS = 2_000

/** Records for all partitions, until it is stopped. */
async function load(signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    const value = { order: n }
    const records = Array.from({ length: 10 * PARTITIONS }, (_, at) => ({
      ...{ topic: TOPICS.inbox, partition: at % PARTITIONS, key: '' },
      value,
    }))
    await opened.log.append(records)
  }
}

/** What is away: no node is there, and a new broker has no coordinator of its groups for a while. */
const AWAY = /"part":"(?:node|kafka)"/

test.each(POINTS)('order workers that are stopped %s end without a fault', async (point) => {
  const lines: string[] = []
  const logger = openLogger({ LOG_LEVEL: 'warn' }, { write: (line) => lines.push(line) })
  const config = Config.parse({
    ROLE: 'actors',
    BITCOIN_NETWORK: 'regtest',
    // No node listens there.
    BITCOIN_RPC_URL: `http://127.0.0.1:${await freePort()}`,
    BITCOIN_RPC_USER: 'market',
    BITCOIN_RPC_PASSWORD: 'nothing',
    KAFKA_BROKERS: server.broker,
    KAFKA_PREFIX: opened.prefix,
    ORDER_PARTITIONS: String(PARTITIONS),
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: directory.path,
  })
  let passed = 0
  const stopping: { end?: Promise<void> } = {}
  const onPoint = (at: CrashPoint) => {
    if (at !== point) return
    passed += 1
    if (passed > 2 * PARTITIONS) stopping.end ??= role.close()
  }
  const role = await runSingleRole({ ...config, ROLE: 'actors' }, { logger, onPoint })
  const { hostname, port } = new URL(role.address)
  const client = connect(Number(port), hostname)
  client.on('error', () => undefined).write('GET /readyz HTTP/1.1\r\n')
  const enough = new AbortController()
  const loading = load(enough.signal)
  await waitUntil(`it is stopped ${point}`, () => stopping.end !== undefined)
  await delay(HELD_MS)
  client.destroy()
  await stopping.end
  enough.abort()
  await loading
  expect(lines.filter((line) => !AWAY.test(line))).toEqual([])
})
