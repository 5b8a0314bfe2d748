import { afterAll, beforeAll } from 'vitest'
import { eventLogContract } from '../contracts/event-log.ts'
import { openKafkaLog } from '../support/log/kafka-log.ts'
import { KafkaServer } from '../support/services/kafka.ts'

let server: KafkaServer

beforeAll(async () => {
  server = await KafkaServer.start()
})
afterAll(() => server.stop())

eventLogContract('kafka', () => openKafkaLog(server, { partitions: 3 }))
