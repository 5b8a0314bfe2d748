import { grouped } from '../../domain/grouped.ts'
import {
  COUNT_WINDOW_MS,
  type RequestCounts,
  type WindowCount,
} from '../../ports/views/request-counts.ts'
import { ServerScript } from './client/server-script.ts'
import { KEY_NAMES, taggedRoot, tagOfClient } from './rights/key-names.ts'
import type { Keyspace } from './views/keyspace.ts'

/** Keys of one script: it runs for about a microsecond each, and other commands wait for it. */
const MAX_KEYS = 512

/**
 * KEYS: those that are counted. ARGV: the milliseconds of a window, then by key how much is added.
 * Returns by key its count and the milliseconds left.
 */
const COUNT = new ServerScript(`
local counts = {}
for at, key in ipairs(KEYS) do
  local more = tonumber(ARGV[at + 1])
  local current
  if more > 0 then
    current = redis.call('INCRBY', key, more)
    if current == more then redis.call('PEXPIRE', key, ARGV[1]) end
  else
    current = tonumber(redis.call('GET', key) or 0)
  end
  counts[2 * at - 1] = current
  counts[2 * at] = math.max(0, redis.call('PTTL', key))
end
return counts
`)

/** One call, and how many of its key's requests the turn has counted so far, its own included. */
interface CountCall {
  counted: number
  resolve(count: WindowCount): void
  reject(error: unknown): void
}

interface AskedOfKey {
  tag: string
  more: number
  calls: CountCall[]
}

/**
 * Counts in Redis, for any number of gateways. What is counted in one turn of the event loop is
 * counted by one script, or in a cluster by one for each tag, each key once: every call gets the count
 * that it would have got alone.
 */
export class RedisRequestCounts implements RequestCounts {
  readonly #keyspace: Keyspace
  #asked = new Map<string, AskedOfKey>()

  constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace
  }

  count(key: string, isCounted: boolean): Promise<WindowCount> {
    return new Promise((resolve, reject) => {
      // Runs once the requests of all sockets that can be read now are taken.
      if (this.#asked.size === 0) setImmediate(() => this.#flush())
      const asked = this.#asked.get(key) ?? { tag: tagOfKey(key), more: 0, calls: [] }
      if (isCounted) asked.more += 1
      asked.calls.push({ counted: asked.more, resolve, reject })
      this.#asked.set(key, asked)
    })
  }

  #flush(): void {
    const asked = [...this.#asked]
    this.#asked = new Map()
    const groups = this.#keyspace.connection.isCluster
      ? [...grouped(asked, ([, { tag }]) => tag).values()]
      : [asked]
    for (const group of groups) {
      for (let from = 0; from < group.length; from += MAX_KEYS) {
        void this.#ask(group.slice(from, from + MAX_KEYS))
      }
    }
  }

  async #ask(asked: readonly [key: string, asked: AskedOfKey][]): Promise<void> {
    const { root } = this.#keyspace
    const keys = asked.map(([key, { tag }]) => taggedRoot(root, tag) + KEY_NAMES.limit + key)
    const more = asked.map(([, one]) => one.more)
    try {
      const counts = (await this.#keyspace.run((redis) =>
        COUNT.run(redis, keys, [COUNT_WINDOW_MS, ...more]),
      )) as number[]
      for (const [at, [, one]] of asked.entries()) {
        answer(one, counts[2 * at] ?? 0, counts[2 * at + 1] ?? 0)
      }
    } catch (error) {
      for (const { reject } of asked.flatMap(([, { calls }]) => calls)) reject(error)
    }
  }
}

function answer({ more, calls }: AskedOfKey, total: number, ttlMs: number): void {
  for (const { counted, resolve } of calls) {
    const current = total - more + counted
    // Read before the first request of a window: none is open yet.
    resolve({ current, ttlMs: current === 0 ? 0 : ttlMs })
  }
}

/** A key is a limit and its client, after a space. */
const tagOfKey = (key: string): string => tagOfClient(key.slice(key.lastIndexOf(' ') + 1))
