import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LmdbStore } from '../adapters/embedded/lmdb-store.ts'
import type { Config } from '../schemas/config.ts'
import type { Foundation } from './foundation.ts'

export const storeDirectory = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string =>
  join(DATA_DIR, 'store')

/** The one store of DATA_DIR, opened by the first part that keeps something there. */
export class LocalStore {
  readonly directory: string
  /** There was none before this process. */
  readonly isNew: boolean
  readonly #foundation: Pick<Foundation, 'closer'>
  #store: Promise<LmdbStore> | null = null

  constructor(foundation: Pick<Foundation, 'config' | 'closer'>) {
    this.directory = storeDirectory(foundation.config)
    this.isNew = !existsSync(this.directory)
    this.#foundation = foundation
  }

  /** Throws `StorageUnavailable` while another process has it open. */
  open(): Promise<LmdbStore> {
    this.#store ??= LmdbStore.open(this.directory).then((store) => {
      this.#foundation.closer.add(() => store.close())
      return store
    })
    return this.#store
  }
}
