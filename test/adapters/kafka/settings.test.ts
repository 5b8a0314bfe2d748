import type { Admin } from 'kafkajs'
import { describe, expect, test } from 'vitest'
import {
  checkSettings,
  createTopics,
  knownUntil,
  newSettings,
  requireUnwritten,
  untilLed,
} from '../../../src/adapters/kafka/topics/settings.ts'
import { NEWEST_LOG_SCHEMA } from '../../../src/schemas/log.ts'

const WANTED = { prefix: 'market.', network: 'regtest', partitions: 3 } as const
const made = newSettings(WANTED)

describe('the settings of a log', () => {
  test('are its first record, whatever others wrote at the same time', () => {
    const other = { ...newSettings(WANTED), schema: NEWEST_LOG_SCHEMA + 1, partitions: 8 }
    expect(checkSettings([made, other, 'text', null], WANTED)).toEqual(made)
  })

  test('of which an upgrade raises the schema: a release that does not read it is refused', () => {
    expect(checkSettings([made, made], WANTED)).toEqual(made)
    expect(() =>
      checkSettings([made, { ...made, schema: NEWEST_LOG_SCHEMA + 1 }, made], WANTED),
    ).toThrow(
      `the log of market.market.settings has schema ${NEWEST_LOG_SCHEMA + 1}, but this release reads ${NEWEST_LOG_SCHEMA}: start a newer release`,
    )
  })

  test.each([[[]], [[null]], [['text', made]]])('%j are of no service', (values) => {
    expect(() => checkSettings(values, WANTED)).toThrow('was not written by this service')
  })
})

test.each([
  ['another process made them', false],
  ['this request made them', true],
])('topics that a broker does not know yet are waited for: %s', async (_, isNew) => {
  const unknown = new Error('This server does not host this topic-partition')
  const asked: string[] = []
  const admin = {
    createTopics: async () => isNew,
    fetchTopicOffsets: async (topic: string) => {
      asked.push(topic)
      if (asked.length < 4) throw unknown
      return []
    },
  } as unknown as Admin
  const wanted = { ...WANTED, schema: NEWEST_LOG_SCHEMA }
  await createTopics(admin, ['orders.inbox', 'orders.lifecycle'], wanted)
  expect(asked).toEqual([...Array(4).fill('market.orders.inbox'), 'market.orders.lifecycle'])
})

describe('topics that another process has just made', () => {
  const NOT_LED = Object.assign(
    new Error('This server is not the leader for that topic-partition'),
    {
      name: 'KafkaJSProtocolError',
      type: 'NOT_LEADER_FOR_PARTITION',
      code: 6,
    },
  )
  const there = ['market.settings', 'orders.inbox'] as const
  /** Fails so many times, then says that the settings end there. */
  const ask = async (
    failures: readonly Error[],
    end: string,
    until = knownUntil(),
    topics: readonly (typeof there)[number][] = there,
  ) => {
    const asked: string[] = []
    const admin = {
      fetchTopicOffsets: async (topic: string) => {
        const failure = failures[asked.push(topic) - 1]
        if (failure) throw failure
        return [{ partition: 0, low: '0', high: end }]
      },
    } as unknown as Admin
    await untilLed(admin, 'market.', topics, until)
    return asked.map((topic) => topic.slice('market.'.length))
  }

  test('are waited for until their leaders know of them', async () => {
    const [own, inbox] = there
    expect(await ask([NOT_LED, NOT_LED], '0')).toEqual([own, own, own, inbox])
    const notAvailable = Object.assign(new Error('no leader'), { type: 'LEADER_NOT_AVAILABLE' })
    const causedBy = new Error('retries exceeded', { cause: notAvailable })
    expect(await ask([causedBy], '0')).toEqual([own, own, inbox])
  })

  test('are led once the settings are written: no other is asked', async () => {
    expect(await ask([NOT_LED], '1')).toEqual(['market.settings', 'market.settings'])
  })

  test('are waited for alone: settings that are not there are not asked for', async () => {
    const [, inbox] = there
    expect(await ask([NOT_LED], '0', knownUntil(), [inbox])).toEqual([inbox, inbox])
    expect(await ask([], '0', knownUntil(), [])).toEqual([])
  })

  test('are waited for no longer than the bound, nor where something else fails', async () => {
    expect(await ask([NOT_LED], '0', performance.now() - 1)).toEqual(['market.settings'])
    expect(await ask([new Error('Topic authorization failed')], '0')).toEqual(['market.settings'])
  })
})

describe('who finds no settings writes them', () => {
  const INBOX = 'market.orders.inbox'
  const SETTINGS = 'market.market.settings'
  const check = (written: string[], writtenMeanwhile = written) => {
    let asked = 0
    const admin = {
      fetchTopicOffsets: async (topic: string) => {
        asked += 1
        const now = asked > 2 ? writtenMeanwhile : written
        return [{ partition: 0, low: '5', high: now.includes(topic) ? '5' : '0' }]
      },
    } as unknown as Admin
    const there = ['orders.inbox', 'market.settings', 'orders.lifecycle'] as const
    return requireUnwritten(admin, WANTED.prefix, there)
  }

  test('into empty topics, or beside another that does the same', async () => {
    await expect(check([])).resolves.toBeUndefined()
    await expect(check([INBOX], [INBOX, SETTINGS])).resolves.toBeUndefined()
  })

  test('never beside records: a restore has written those, and is not over', async () => {
    await expect(check([INBOX])).rejects.toThrow(
      `topic ${INBOX} has records, but ${SETTINGS} has none: a restore goes on, or was interrupted`,
    )
  })
})
