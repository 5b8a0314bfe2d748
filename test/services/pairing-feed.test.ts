import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { KafkaLog } from '../../src/adapters/kafka/log.ts'
import { type RunningRole, runSingleRole } from '../../src/roles/single-role.ts'
import { CheckpointFeedRecord } from '../../src/schemas/api/pairing.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openKafkaLog } from '../support/log/kafka-log.ts'
import { fetchUnlessShed } from '../support/market/fetch-unless-shed.ts'
import { KafkaServer } from '../support/services/kafka.ts'

const PATIENCE_MS = 15_000

// One pipeline of the devnet as a separate process would run it: its node, its disk, and Kafka.

const PARTITIONS = 2
/** Mined by the devnet at its beginning, plus the genesis block. */
const BLOCKS = 121

const directory = temporaryDirectory()
let server: KafkaServer
/** The running role. */
let running: RunningRole | null = null
let opened: Awaited<ReturnType<typeof openKafkaLog>>

beforeAll(async () => {
  server = await KafkaServer.start()
  opened = await openKafkaLog(server, { partitions: PARTITIONS })
})
afterAll(async () => {
  server?.kill('SIGCONT')
  await running?.close()
  await opened?.close()
  await server?.stop()
  directory.drop()
})

async function startRole(): Promise<RunningRole> {
  const config = Config.parse({
    ROLE: 'pairing',
    DATA_DIR: directory.path,
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    ORDER_PARTITIONS: String(PARTITIONS),
    KAFKA_BROKERS: server.broker,
    KAFKA_PREFIX: opened.prefix,
  })
  // Configured, it would be refused: a devnet of its own is a node that no other process sees.
  running = await runSingleRole({ ...config, ROLE: 'pairing', DEVNET: true })
  return running
}

async function checkpointsIn(log: KafkaLog): Promise<CheckpointFeedRecord[]> {
  const records: CheckpointFeedRecord[] = []
  for await (const batch of log.stored(TOPICS.checkpoints, 0, 0))
    records.push(...batch.map(({ value }) => CheckpointFeedRecord.parse(value)))
  return records
}

test('role pairing serves without its brokers, and writes each block once when they are back', {
  timeout: 120_000,
}, async () => {
  server.kill('SIGSTOP')
  const first = await startRole()
  const answerOf = async (path: string) => {
    const answer = await fetchUnlessShed(`${first.address}${path}`)
    return { status: answer.status, body: (await answer.json()) as unknown }
  }
  await vi.waitFor(
    async () => expect((await answerOf(`/pairing/agreement/${BLOCKS - 1}`)).status).toBe(200),
    { timeout: 20_000, interval: 100 },
  )
  server.kill('SIGCONT')
  const records = await vi.waitFor(
    async () => {
      const found = await checkpointsIn(opened.log)
      expect(found).toHaveLength(BLOCKS)
      return found
    },
    { timeout: 60_000, interval: 500 },
  )
  for (const [height, record] of records.entries()) {
    const { body: envelope } = await answerOf(`/pairing/agreement/${height}`)
    expect(record).toMatchObject({ kind: 'connected', block: { height }, envelope })
  }
  await first.close()
  running = null

  // Its successor on the same disk does not publish again.
  const second = await startRole()
  await vi.waitFor(
    async () => expect((await fetchUnlessShed(`${second.address}/livez`)).status).toBe(200),
    PATIENCE_MS,
  )
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  expect(await checkpointsIn(opened.log)).toHaveLength(BLOCKS)
})
