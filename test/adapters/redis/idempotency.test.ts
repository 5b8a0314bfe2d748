import { expect, test } from 'vitest'
import type { RedisCommands } from '../../../src/adapters/redis/client/connection.ts'
import { RedisIdempotency } from '../../../src/adapters/redis/idempotency.ts'
import { StorageUnavailableError } from '../../../src/ports/log/storage-errors.ts'

const NOW = Date.UTC(2030, 0, 1)

/** A server that runs every command, and whose answer to the first may be lost. */
function served(isFirstLost: () => boolean) {
  const tokens = new Map<string, string>()
  const evalsha = async (_sha: string, count: number, ...given: string[]): Promise<unknown> => {
    const [claim = ''] = given
    const args = given.slice(count)
    if (count === 1) return []
    const isEnd = args.length === 5
    if (isEnd) {
      const isOurs = tokens.get(claim) === args[2]
      return isOurs && tokens.delete(claim) ? 'released' : 'not ours'
    }
    if (tokens.has(claim)) return ['in-use']
    tokens.set(claim, args[3] ?? '')
    return ['new']
  }
  const redis = { evalsha, zrem: async () => 1 } as unknown as RedisCommands
  const run = async <T>(work: (redis: RedisCommands) => Promise<T>): Promise<T> => {
    const isLost = isFirstLost()
    const answer = await work(redis)
    if (isLost) throw new StorageUnavailableError('io', 'Command timed out')
    return answer
  }
  return new RedisIdempotency({ root: '{market}:', run })
}

test('a claim whose answer from Redis was lost is given up: its key may be used again', async () => {
  let calls = 0
  const store = served(() => ++calls === 1)
  await expect(store.begin('s', 'c', 'h', NOW)).rejects.toThrow('Command timed out')
  await new Promise(setImmediate)
  expect(await store.begin('s', 'c', 'h', NOW)).toEqual({ status: 'new' })
})

test('of a claim of another request nothing is given up', async () => {
  let calls = 0
  const store = served(() => ++calls === 3)
  expect(await store.begin('s', 'c', 'h', NOW)).toEqual({ status: 'new' })
  await expect(store.begin('s', 'c', 'h', NOW)).rejects.toThrow('Command timed out')
  await new Promise(setImmediate)
  expect(await store.begin('s', 'c', 'h', NOW)).toEqual({ status: 'in-use' })
  await store.release('s')
  expect(await store.begin('s', 'c', 'h', NOW)).toEqual({ status: 'new' })
})
