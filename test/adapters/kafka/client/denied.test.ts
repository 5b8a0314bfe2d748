import kafkajs, { type LogEntry } from 'kafkajs'
import { expect, test } from 'vitest'
import { openClient } from '../../../../src/adapters/kafka/client/client.ts'
import {
  deniedBy,
  isDenied,
  KafkaDeniedError,
  noteCoordinators,
} from '../../../../src/adapters/kafka/client/denied.ts'
import { kafkaAway } from '../../../../src/adapters/kafka/client/errors.ts'

// Errors as kafkajs makes them of a broker's answers.

const { KafkaJSAggregateError, KafkaJSNonRetriableError, KafkaJSProtocolError } = kafkajs
const open = () =>
  openClient({
    ...{ brokers: ['127.0.0.1:1'], clientId: 'test', prefix: '' },
    onLog: () => {},
  })

const answer = (type: string, code: number) =>
  new KafkaJSProtocolError(Object.assign(new Error(type), { type, code, retriable: false }))
const inTurn = (error: Error) =>
  Object.assign(new KafkaJSNonRetriableError(error), { cause: error })
const noted = (error: string): LogEntry => ({
  ...{ namespace: 'Connection', level: 1, label: 'ERROR' },
  log: {
    message: 'Response GroupCoordinator(key: 10, version: 1)',
    ...{ error, timestamp: '', logger: 'kafkajs' },
  },
})
const asked = {
  topic: { operation: 'Write', names: ['orders.inbox', 'orders.dead'] },
  group: { operation: 'Read', names: ['market-orders'] },
  'transactional-id': { operation: 'Write', names: ['market-ingest'] },
} as const

test.each([
  ['TOPIC_AUTHORIZATION_FAILED', 29, 'Write on topic orders.inbox or orders.dead'],
  ['GROUP_AUTHORIZATION_FAILED', 30, 'Read on group market-orders'],
  ['TRANSACTIONAL_ID_AUTHORIZATION_FAILED', 53, 'Write on transactional-id market-ingest'],
  ['OPERATION_NOT_ATTEMPTED', 55, 'Write on topic orders.inbox or orders.dead'],
])('%s names the right, through every error that wraps it', (type, code, right) => {
  const error = inTurn(inTurn(answer(type, code)))
  expect(deniedBy(null, error, 'nothing was sent', asked)?.message).toBe(
    `nothing was sent, the Kafka user lacks the right ${right}: grant what "market acl kafka" prints`,
  )
})

test('one of several errors names it too, and another error names none', () => {
  const several = new KafkaJSAggregateError('Topic creation errors', [
    answer('TOPIC_AUTHORIZATION_FAILED', 29),
  ])
  expect(deniedBy(null, several, 'x', asked)).toBeInstanceOf(KafkaDeniedError)
  expect(deniedBy(null, inTurn(answer('NOT_CONTROLLER', 41)), 'x', asked)).toBeNull()
})

test('a coordinator that was refused is told from one that is unknown', () => {
  const kafka = open()
  const unknown = Object.assign(new Error('Failed to find group coordinator'), {
    name: 'KafkaJSGroupCoordinatorNotFound',
  })
  expect(isDenied(kafka, unknown)).toBe(false)
  noteCoordinators(() => kafka, noted('Not authorized to access group: Group authorization failed'))
  expect(deniedBy(kafka, unknown, 'x', asked)?.message).toContain('Read on group market-orders')
  expect(isDenied(open(), unknown)).toBe(false)
  noteCoordinators(() => kafka, noted('The group coordinator is not available'))
  expect(isDenied(kafka, unknown)).toBe(false)
})

test('what lacks a right is not away: its own message stays', () => {
  const denied = deniedBy(null, answer('GROUP_AUTHORIZATION_FAILED', 30), 'x', asked)
  expect(kafkaAway('Kafka cannot be used', denied)).toBe(denied)
})
