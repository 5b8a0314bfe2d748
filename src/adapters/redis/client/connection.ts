import type { Cluster, Redis } from 'ioredis'
import type { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'

/**
 * What takes commands: one server, or a cluster. All keys of one command, script, transaction or
 * pipeline begin with the same tag, so that a cluster has them on one server.
 */
export type RedisCommands = Redis | Cluster

/** One Redis, with a connection for commands, which fails fast, and one that listens. */
export interface RedisConnection {
  /** Are keys of several tags on several servers? */
  readonly isCluster: boolean
  /** Why Redis cannot be used now; null when it can. */
  trouble(): Promise<StorageUnavailableError | null>
  /** Runs commands; any failure is a `StorageUnavailableError`. */
  run<T>(work: (redis: RedisCommands) => Promise<T>): Promise<T>
  /**
   * Subscribes to a channel; `heardAgain` is called whenever messages may have been missed.
   * Resolves when subscribed, or at once while Redis is unavailable.
   */
  listen(
    channel: string,
    onMessage: (message: string) => void,
    heardAgain: () => void,
  ): Promise<void>
  close(): void
}

/** What is asked at each connect; both throw `RedisRefusedError` for what an operator must fix. */
export interface RedisChecks {
  /** Asks every server that takes writes, before it is used. */
  server(redis: Redis): Promise<void>
  /** Asks for the keys, once the servers are usable. */
  keys(redis: RedisCommands): Promise<void>
}

/** The answers of a pipeline or transaction; throws the first error among them. */
export function repliesOf(replies: [error: Error | null, reply: unknown][] | null): unknown[] {
  if (replies === null) throw new Error('the transaction was discarded')
  return replies.map(([error, reply]) => {
    if (error) throw error
    return reply
  })
}
