import type { KafkaMessage } from 'kafkajs'
import { describe, expect, test, vi } from 'vitest'
import {
  inboxRecordOf,
  kafkaMessageOf,
  MAX_INBOX_BYTES,
} from '../../../../src/adapters/kafka/client/codec.ts'
import { storedWith } from '../../../../src/adapters/log/inbox-news.ts'
import { TOPICS } from '../../../../src/schemas/log.ts'
import { toOutpointText } from '../../../support/ids.ts'
import { watermark } from '../../../support/log/watermarks.ts'
import { commandOf, outputNews, spendNews } from '../../../support/log/worker-host.ts'
import { hash, spendBy } from '../../../support/orders/evidence.ts'

const OUTPUT = toOutpointText(`${hash('output')}:7`)
const spend = spendNews('seen', spendBy('buyer'), OUTPUT)

const messageOf = (key: string | null, value: string): KafkaMessage => ({
  ...{ key: key === null ? null : Buffer.from(key), value: Buffer.from(value) },
  ...{ offset: '5', timestamp: '0', attributes: 0, headers: {} },
})
/** As the log writes it. */
const written = (key: string, value: unknown) => {
  const { value: text } = kafkaMessageOf({ topic: TOPICS.inbox, partition: 0, key, value })
  return messageOf(key, String(text))
}

describe('a record of the inbox in Kafka', () => {
  test('is known as news of an output before it is parsed, which its first reader does, once', () => {
    const parse = vi.spyOn(JSON, 'parse')
    for (const value of [spend, outputNews('gone', null, OUTPUT)]) {
      const record = inboxRecordOf(0, written(OUTPUT, value))
      expect(record.newsOf).toBe(OUTPUT)
      expect(parse).not.toHaveBeenCalled()
      expect([record.value, record.value]).toEqual([value, value])
      expect(parse).toHaveBeenCalledTimes(1)
      parse.mockClear()
    }
    parse.mockRestore()
  })

  test.each([
    ['a command', written(OUTPUT, commandOf('revalidate', 'one', undefined, OUTPUT))],
    ['a watermark', written('', watermark(0))],
    ['a key that is no outpoint', written('poison', spend)],
    ['no key', messageOf(null, JSON.stringify(spend))],
    ['another version', written(OUTPUT, { ...spend, schema: 2 })],
    ['another form of the same JSON', messageOf(OUTPUT, JSON.stringify(spend, null, 1))],
    ['over a megabyte', written(OUTPUT, { ...spend, more: 'x'.repeat(MAX_INBOX_BYTES) })],
  ])('is no news without reading it: %s', (_, message) => {
    expect(inboxRecordOf(0, message).newsOf).toBeUndefined()
  })

  test('is news of the same output in a log that has parsed its values', () => {
    const place = { partition: 0, offset: 5 }
    const values = [spend, outputNews('gone', null, OUTPUT), watermark(0), null, 'text']
    for (const value of values)
      for (const key of [OUTPUT, 'poison', ''])
        expect(storedWith(TOPICS.inbox, key, { ...place, value }).newsOf).toBe(
          inboxRecordOf(0, written(key, value === null ? 0 : value)).newsOf,
        )
  })
})
