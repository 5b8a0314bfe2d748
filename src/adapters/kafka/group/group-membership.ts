import { setMaxListeners } from 'node:events'
import kafkajs, { type Consumer, type Kafka, type PartitionAssigner } from 'kafkajs'
import type { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import { untilAborted } from '../../../runtime/until-aborted.ts'
import { Waiters } from '../../../runtime/waiters.ts'
import { openConsumer } from '../client/client.ts'
import type { RightsAsked } from '../client/denied.ts'
import { requestFailure } from '../client/errors.ts'

/** The least that a broker allows by default (`group.min.session.timeout.ms`). */
const SESSION_MS = 6_000
const HEARTBEAT_MS = 1_500
/** Milliseconds between an idle member's checks of whether a heartbeat is due. */
const IDLE_MS = 250
/**
 * The first successful heartbeat may have been in flight before; the second was sent after, and so
 * proves that this process is a member of the current generation.
 */
const PROOF_HEARTBEATS = 2

export interface MembershipParts {
  kafka: Kafka
  groupId: string
  topic: string
  partitions: number
  /** Who is given which partition; absent: all members alike. */
  assigner?: PartitionAssigner
}

/**
 * Membership of a group that divides the partitions of a topic: it decides which ones this process
 * has. Records are read elsewhere, so heartbeats never wait for work, and slow work loses no
 * membership.
 */
export class GroupMembership {
  readonly #parts: MembershipParts
  readonly #consumer: Consumer
  readonly #heartbeats = new Waiters()
  #hasLeft = false

  constructor(parts: MembershipParts) {
    this.#parts = parts
    this.#consumer = openConsumer(parts.kafka, {
      groupId: parts.groupId,
      partitionAssigners: [parts.assigner ?? kafkajs.PartitionAssigners.roundRobin],
      sessionTimeout: SESSION_MS,
      heartbeatInterval: HEARTBEAT_MS,
      rebalanceTimeout: 10_000,
      maxWaitTimeInMs: IDLE_MS,
    })
  }

  /** Joins, and reports each assignment until the signal aborts. Rejects when membership ends. */
  async run(
    onAssigned: (partitions: readonly number[]) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { topic, partitions } = this.#parts
    const consumer = this.#consumer
    const all = Array.from({ length: partitions }, (_, partition) => partition)
    const crashed = new Promise<never>((_, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        if (!payload.restart)
          reject(this.#away(`membership of the group ${this.#parts.groupId} ended`, payload.error))
      })
    })
    crashed.catch(() => undefined)
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      if (this.#hasLeft) return
      // Before the first fetch of the new assignment: nothing is fetched here.
      consumer.pause([{ topic, partitions: all }])
      onAssigned(payload.memberAssignment[topic] ?? [])
    })
    consumer.on(consumer.events.HEARTBEAT, () => {
      this.#heartbeats.tell()
    })
    try {
      await consumer.connect()
      await consumer.subscribe({ topics: [topic], fromBeginning: true })
      await consumer.run({ autoCommit: false, eachBatch: async () => {} })
      setMaxListeners(0, signal)
      await untilAborted(crashed, signal, () => undefined)
    } catch (error) {
      throw this.#away(`the partitions of ${topic} cannot be assigned`, error)
    }
  }

  #away(what: string, error: unknown): StorageUnavailableError {
    const { kafka, groupId, topic } = this.#parts
    const asked: RightsAsked = {
      group: { operation: 'Read', names: [groupId] },
      topic: { operation: 'Describe', names: [topic] },
    }
    return requestFailure(kafka, error, what, asked)
  }

  /** Resolves once this process is known to be still a member, or when the signal aborts. */
  async proven(signal: AbortSignal): Promise<void> {
    let left = PROOF_HEARTBEATS
    await this.#heartbeats.next(signal, () => {
      left -= 1
      return left <= 0
    })
  }

  /** Leaves: the partitions are reassigned at once. */
  async leave(): Promise<void> {
    this.#hasLeft = true
    await this.#consumer.disconnect().catch(() => undefined)
  }
}
