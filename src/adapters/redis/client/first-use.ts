import { redisRefusalOf } from './errors.ts'
import { CONNECT_MS } from './redis-clients.ts'

/**
 * Waits for the first use of a server, but not for ever. Throws `RedisRefusedError` for what an
 * operator must fix: ioredis reports why a connection was refused only as an event, the last of which
 * is asked for.
 */
export async function firstUse(
  connected: Promise<unknown>,
  lastError: () => unknown,
): Promise<void> {
  let patience: NodeJS.Timeout | undefined
  const waited = new Promise<void>((resolve) => {
    patience = setTimeout(resolve, CONNECT_MS)
  })
  try {
    await Promise.race([connected, waited])
  } catch (error) {
    const refused = redisRefusalOf(error) ?? redisRefusalOf(lastError())
    if (refused) throw refused
  } finally {
    clearTimeout(patience)
    connected.catch(() => {})
  }
}
