import type { Kafka, LogEntry } from 'kafkajs'
import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import type { KafkaOperation, KafkaResource } from './rights.ts'

/** What brokers answer to a user without a right, by the kind of what it was to. */
const DENIED: Readonly<Record<string, KafkaResource>> = {
  TOPIC_AUTHORIZATION_FAILED: 'topic',
  GROUP_AUTHORIZATION_FAILED: 'group',
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 'transactional-id',
  // An idempotent producer needs this right, or Write on any topic.
  CLUSTER_AUTHORIZATION_FAILED: 'topic',
  // The answer for the first topic of a transaction, where another one was refused.
  OPERATION_NOT_ATTEMPTED: 'topic',
}

/** A user of Kafka lacks a right, which the message names with its cure. */
export class KafkaDeniedError extends StorageUnavailableError {
  override name = 'KafkaDeniedError'

  constructor(what: string, right: string, cause: unknown) {
    // The server answers: it is no failure of Kafka's, and has a line of its own.
    super('io', `${what}, the Kafka user lacks ${right}: grant what "market acl kafka" prints`, {
      cause,
    })
  }
}

/** What a request asks of the brokers, by kind. */
export type RightsAsked = Partial<
  Record<KafkaResource, { operation: KafkaOperation; names: readonly string[] }>
>

/**
 * The error of a request as the lack of a right, or null if it is another one. The brokers do not say
 * which name they refused: all of its kind that were asked for are named.
 */
export function deniedBy(
  kafka: Kafka | null,
  error: unknown,
  what: string,
  asked: RightsAsked,
): KafkaDeniedError | null {
  const known = causesOf(error).find((cause) => cause instanceof KafkaDeniedError)
  if (known) return known
  const kind = kindOfDenial(kafka, error)
  if (kind === null) return null
  const right = asked[kind]
  const named = right
    ? `the right ${right.operation} on ${kind} ${right.names.join(' or ')}`
    : `a right to a ${kind}`
  return new KafkaDeniedError(what, named, error)
}

/** Did brokers refuse it for lack of a right? Asking again changes nothing. */
export const isDenied = (kafka: Kafka | null, error: unknown): boolean =>
  kindOfDenial(kafka, error) !== null

function kindOfDenial(kafka: Kafka | null, error: unknown): KafkaResource | null {
  for (const { type, name } of causesOf(error) as (Error & { type?: string })[]) {
    const kind = type === undefined ? undefined : DENIED[type]
    if (kind) return kind
    if (kafka && name === COORDINATOR_UNKNOWN) return lastRefusal(kafka)
  }
  return null
}

/** The error itself, its causes, and all errors of an aggregate. */
export function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    causes.push(cause)
    const others = (cause as { errors?: unknown }).errors
    if (Array.isArray(others)) causes.push(...others.flatMap(causesOf))
  }
  return causes
}

// ---- coordinators -------------------------------------------------------------------------------

/** What kafkajs throws whatever brokers answered about a coordinator: why is only in its log. */
const COORDINATOR_UNKNOWN = 'KafkaJSGroupCoordinatorNotFound'
const COORDINATOR_ANSWER = /^Response GroupCoordinator\b/

/** The error follows the answer at once: an earlier answer is not its reason. */
const NOTED_MS = 5_000

/** By client: what the last answer about a coordinator refused; null for another failure. */
const refusedCoordinator = new WeakMap<Kafka, { kind: KafkaResource | null; at: number }>()

function lastRefusal(kafka: Kafka): KafkaResource | null {
  const last = refusedCoordinator.get(kafka)
  return last && performance.now() - last.at < NOTED_MS ? last.kind : null
}

/** Notes what the log of a client says about coordinators. */
export function noteCoordinators(kafka: () => Kafka, { log }: LogEntry): void {
  if (!COORDINATOR_ANSWER.test(log.message)) return
  const why = String(log['error'])
  const kind = /^Not authorized to access group/.test(why)
    ? 'group'
    : /^Transactional Id authorization failed/.test(why)
      ? 'transactional-id'
      : null
  refusedCoordinator.set(kafka(), { kind, at: performance.now() })
}
