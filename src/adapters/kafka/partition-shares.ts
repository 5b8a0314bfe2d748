import { setMaxListeners } from 'node:events'
import type { Kafka } from 'kafkajs'
import type { PartitionShares } from '../../ports/log/partition-shares.ts'
import { TOPICS } from '../../schemas/log.ts'
import { webhookGroupOf } from './client/names.ts'
import { GroupMembership } from './group/group-membership.ts'

export interface SharedLifecycle {
  kafka: Kafka
  prefix: string
  partitions: number
}

/** The partitions that the group of the senders of webhooks assigns. */
export const groupShares = ({ kafka, prefix, partitions }: SharedLifecycle): PartitionShares => ({
  async share(work, signal) {
    const group = new GroupMembership({
      kafka,
      groupId: webhookGroupOf(prefix),
      topic: prefix + TOPICS.lifecycle,
      partitions,
    })
    const running = new Map<number, { stop: AbortController; done: Promise<void> }>()
    const ending: Promise<void>[] = []
    const stopAll = new AbortController()
    const failures: unknown[] = []
    const begin = (partition: number): void => {
      const stop = new AbortController()
      setMaxListeners(0, stop.signal)
      const done = work(partition, stop.signal).catch((error: unknown) => {
        failures.push(error)
        stopAll.abort()
      })
      running.set(partition, { stop, done })
    }
    const end = (partition: number): void => {
      const one = running.get(partition)
      running.delete(partition)
      one?.stop.abort()
      if (one) ending.push(one.done)
    }
    try {
      await group.run(
        (assigned) => {
          for (const partition of [...running.keys()])
            if (!assigned.includes(partition)) end(partition)
          for (const partition of assigned) if (!running.has(partition)) begin(partition)
        },
        AbortSignal.any([signal, stopAll.signal]),
      )
    } finally {
      for (const partition of [...running.keys()]) end(partition)
      await Promise.all(ending)
      await group.leave()
    }
    if (failures.length > 0) throw failures[0]
  },
})
