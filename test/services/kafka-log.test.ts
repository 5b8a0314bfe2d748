import { afterAll, beforeAll } from 'vitest'
import { eventLogContract } from '../contracts/event-log.ts'
import { KafkaServer } from '../support/kafka.ts'
import { openKafkaLog } from '../support/kafka-log.ts'

let server: KafkaServer

beforeAll(async () => {
  server = await KafkaServer.start()
})
afterAll(() => server.stop())

eventLogContract('kafka', () => openKafkaLog(server, { partitions: 3 }))
