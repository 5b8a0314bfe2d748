import PQueue from 'p-queue'

const queues = new WeakMap<object, PQueue>()

/**
 * Runs the acts of operators on the registries of one log, webhooks and keys, one after the other in
 * this process: each reads a registry, then writes to it.
 */
export function oneAtATime<T>(log: object, act: () => Promise<T>): Promise<T> {
  const queue = queues.get(log) ?? new PQueue({ concurrency: 1 })
  queues.set(log, queue)
  return queue.add(act)
}
