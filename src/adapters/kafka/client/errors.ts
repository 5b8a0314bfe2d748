import type { Kafka } from 'kafkajs'
import { OperatorError } from '../../../ports/base-errors.ts'
import { RecordTooLargeError, StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import { causesOf, deniedBy, KafkaDeniedError, type RightsAsked } from './denied.ts'
import { tlsCureOf } from './tls-cures.ts'

/** This service may not use the cluster as it is; the message names the cure. */
export class KafkaRefusedError extends OperatorError {
  override name = 'KafkaRefusedError'
}

/** Asking again changes nothing: an operator has to. */
export const isKafkaRefusal = (error: unknown): error is KafkaRefusedError | KafkaDeniedError =>
  error instanceof KafkaRefusedError || error instanceof KafkaDeniedError

/**
 * The transactional id is not this producer's any more. If another process holds it, writes of this one
 * are no longer wanted.
 */
export class WriterReplacedError extends Error {
  override name = 'WriterReplacedError'
}

/** What brokers answer to a producer whose transactional id they do not know, or know with another producer. */
const FORGOTTEN = 'INVALID_PRODUCER_ID_MAPPING'
/** What brokers answer to a producer whose transactional id was initialised again. */
const FENCED = new Set(['INVALID_PRODUCER_EPOCH', 'PRODUCER_FENCED', 'INVALID_TXN_STATE'])
/** PRODUCER_FENCED, which kafkajs has no name for. */
const FENCED_CODE = 90

/** What brokers answer to a batch beyond `max.message.bytes` or a segment. */
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'])

/**
 * The error if this producer may not write with its transactional id any more: what it had open is
 * aborted, or will be. Null for another error.
 */
export function writerReplaced(
  transactionalId: string,
  error: unknown,
): WriterReplacedError | null {
  const isForgotten = hasCause(error, ({ type }) => type === FORGOTTEN)
  const isFenced = hasCause(
    error,
    ({ type, code }) => FENCED.has(type ?? '') || code === FENCED_CODE,
  )
  if (!isForgotten && !isFenced) return null
  const what = isForgotten
    ? `the brokers no longer know this producer of ${transactionalId}: it was idle for their transactional.id.expiration.ms, they lost it, or another process took its id after that`
    : `${transactionalId} was taken over by another process, or the brokers ended its transaction`
  return new WriterReplacedError(what, { cause: error })
}

/** What brokers answer, and kafkajs throws, while a partition has no leader that knows of it. */
const WITHOUT_LEADER = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'KafkaJSBrokerNotFound',
  'KafkaJSTopicMetadataNotLoaded',
])

/** Has a partition no leader yet, or any more? */
export const isWithoutLeader = (error: unknown): boolean =>
  hasCause(error, ({ type, name }) => WITHOUT_LEADER.has(type ?? '') || WITHOUT_LEADER.has(name))

type AnsweredError = Error & { type?: string; code?: unknown }

function hasCause(error: unknown, is: (cause: AnsweredError) => boolean): boolean {
  return causesOf(error).some(is)
}

/** What kafkajs throws when brokers do not take the login. */
const LOGIN_REFUSED = 'KafkaJSSASLAuthenticationError'

/**
 * The cluster does not take the login of the configuration, or one of the two does not trust the other's
 * certificate; null for another error.
 */
export function loginRefusalOf(error: unknown): KafkaRefusedError | null {
  const causes = causesOf(error)
  const known = causes.find((cause) => cause instanceof KafkaRefusedError)
  if (known) return known
  // Without its cause: what was sent may be in it.
  const cure = tlsCureOf(causes.map(({ code }: AnsweredError) => code))
  if (cure) return new KafkaRefusedError(`${cure} (${messageOf(error)})`)
  if (!hasCause(error, ({ name }) => name === LOGIN_REFUSED)) return null
  const said = messageOf(error)
  const rejected = said.includes('OAUTHBEARER')
    ? 'the token: set KAFKA_OAUTH_CLIENT_ID and KAFKA_OAUTH_SCOPE to what the brokers expect'
    : 'the user or password: set KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD'
  return new KafkaRefusedError(`Kafka rejected ${rejected} (${said})`)
}

/**
 * When a write throws this, it is unknown whether the records are in the log; not so for the lack of a
 * right, which keeps its own message.
 */
export function kafkaAway(what: string, cause: unknown): StorageUnavailableError {
  if (cause instanceof KafkaDeniedError) return cause
  const message = `${what}: ${messageOf(cause)}`
  const isTooLarge = hasCause(cause, ({ type }) => TOO_LARGE.has(type ?? ''))
  return isTooLarge
    ? new RecordTooLargeError(message, { cause })
    : new StorageUnavailableError('io', message, { cause, store: 'kafka' })
}

/** The error of a request that failed: the lack of a right that it asks for, or else as `kafkaAway`. */
export const requestFailure = (
  kafka: Kafka,
  error: unknown,
  what: string,
  asked: RightsAsked,
): StorageUnavailableError => deniedBy(kafka, error, what, asked) ?? kafkaAway(what, error)

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
