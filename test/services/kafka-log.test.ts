import { afterAll, beforeAll } from 'vitest'
import { KafkaRecordBrowser } from '../../src/adapters/kafka/record-browser.ts'
import { eventLogContract } from '../contracts/event-log.ts'
import { recordBrowserContract } from '../contracts/record-browser.ts'
import { openKafkaLog } from '../support/log/kafka-log.ts'
import { KafkaServer } from '../support/services/kafka.ts'

let server: KafkaServer

beforeAll(async () => {
  server = await KafkaServer.start()
})
afterAll(() => server.stop())

eventLogContract('kafka', () => openKafkaLog(server, { partitions: 3 }))

recordBrowserContract('kafka', async () => {
  const { log, close } = await openKafkaLog(server, { partitions: 3 })
  return { log, browser: new KafkaRecordBrowser(log), close }
})
