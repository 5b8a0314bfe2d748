import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import { isNoScript } from './errors.ts'

/** A script that the server runs as one command; sent whole if the server no longer knows it. */
export class ServerScript {
  readonly #text: string
  readonly #sha: string

  constructor(text: string) {
    this.#text = text
    this.#sha = createHash('sha1').update(text).digest('hex')
  }

  async run(
    redis: Redis,
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
