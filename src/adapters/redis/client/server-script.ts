import { createHash } from 'node:crypto'
import type { RedisCommands } from './connection.ts'
import { isNoScript } from './errors.ts'

/** A script that a server runs as one command; sent whole to a server that does not know it. */
export class ServerScript {
  readonly #text: string
  readonly #sha: string

  constructor(text: string) {
    this.#text = text
    this.#sha = createHash('sha1').update(text).digest('hex')
  }

  async run(
    redis: RedisCommands,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
  ): Promise<unknown> {
    try {
      return await redis.evalsha(this.#sha, keys.length, ...keys, ...args)
    } catch (error) {
      if (!isNoScript(error)) throw error
      return await redis.eval(this.#text, keys.length, ...keys, ...args)
    }
  }
}
