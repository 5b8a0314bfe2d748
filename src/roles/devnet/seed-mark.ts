import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../schemas/config/config.ts'
import { storeDirectory } from '../open/local-store.ts'

/** `awaited`: nothing of it is there; `begun`: some of it; `whole`: all, or it is of a release without marks. */
export type SeedState = 'awaited' | 'begun' | 'whole'

/**
 * How much of its seed a devnet has: a start may fail, or be stopped, after it has made the stores. A
 * file in DATA_DIR, from before the stores are made until the seed is whole.
 */
export class SeedMark {
  readonly #path: string

  constructor({ DATA_DIR }: Pick<Config, 'DATA_DIR'>) {
    this.#path = join(DATA_DIR, 'devnet.seed')
    if (existsSync(storeDirectory({ DATA_DIR }))) return
    try {
      mkdirSync(DATA_DIR, { recursive: true })
      this.#write('awaited')
    } catch {
      // The opening of the store says why.
    }
  }

  get state(): SeedState {
    if (!existsSync(this.#path)) return 'whole'
    return readFileSync(this.#path, 'utf8').startsWith('awaited') ? 'awaited' : 'begun'
  }

  begin(): void {
    this.#write('begun')
  }

  end(): void {
    rmSync(this.#path, { force: true })
  }

  #write(state: SeedState): void {
    writeFileSync(this.#path, `${state}\n`)
  }
}
