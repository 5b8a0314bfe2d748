import PQueue from 'p-queue'

const turns = new WeakMap<object, PQueue>()

/**
 * Runs the acts of operators on the webhooks of one log one after the other in this process: each
 * reads the endpoints, then writes one.
 */
export function inTurn<T>(log: object, act: () => Promise<T>): Promise<T> {
  const queue = turns.get(log) ?? new PQueue({ concurrency: 1 })
  turns.set(log, queue)
  return queue.add(act)
}
