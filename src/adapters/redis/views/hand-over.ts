import type { Clock } from '../../../runtime/clock.ts'
import { META_FIELDS } from '../rights/key-names.ts'
import type { Generation, Keyspace } from './keyspace.ts'

/** How often readers check for views that will replace the current ones, milliseconds. */
export const READERS_LOOK_MS = 1_000
/** Milliseconds given to readers for each order: twice what loading it takes. */
const LOAD_MS = 0.03

interface Standing {
  /** The name of the views that are read; null if Redis was flushed. */
  current: string | null
  /** The name of the views that will replace them soon; null if there are none. */
  next: string | null
}

export async function readStanding({ run, meta }: Keyspace): Promise<Standing> {
  const [current = null, building, filled = null] = await run((redis) =>
    redis.hmget(meta, META_FIELDS.current, META_FIELDS.next, META_FIELDS.filled),
  )
  return { current, next: building === filled ? filled : null }
}

/** Within this time readers have looked for new views of so many orders, and loaded them. */
export const readersWaitMs = (orders: number): number => 2 * READERS_LOOK_MS + orders * LOAD_MS

/**
 * Announces that these views will replace the current ones, and waits while readers load them. A
 * reader that is slower answers no lists until it has loaded them.
 */
export async function announce(
  keyspace: Keyspace,
  generation: Generation,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Promise<void> {
  const orders = await keyspace.run(async (redis) => {
    await redis.hset(keyspace.meta, META_FIELDS.filled, generation.name)
    return await redis.hlen(`${keyspace.prefixOf(generation)}docs`)
  })
  await clock.sleep(readersWaitMs(orders), signal)
}
