import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileOf, MAP_SIZE } from '../../adapters/embedded/lmdb/lmdb-environment.ts'
import { LmdbStore } from '../../adapters/embedded/lmdb/lmdb-store.ts'
import type { Config } from '../../schemas/config/config.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { meterStoreSize } from '../observe/store-size.ts'

export const storeDirectory = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string =>
  join(DATA_DIR, 'store')

/** The one store of DATA_DIR, opened by the first part that needs it. */
export class LocalStore {
  readonly directory: string
  /** The store did not exist before this process. */
  readonly isNew: boolean
  readonly #context: Pick<RuntimeContext, 'closer' | 'metrics'>
  #store: Promise<LmdbStore> | null = null

  constructor(context: Pick<RuntimeContext, 'config' | 'closer' | 'metrics'>) {
    this.directory = storeDirectory(context.config)
    this.isNew = !existsSync(this.directory)
    this.#context = context
  }

  /** Throws `StorageUnavailableError` while another process has it open. */
  open(): Promise<LmdbStore> {
    const { directory } = this
    const { closer, metrics } = this.#context
    this.#store ??= LmdbStore.open(directory).then((store) => {
      closer.add(() => store.close())
      meterStoreSize(metrics, { directory, file: fileOf(directory), limitBytes: MAP_SIZE })
      return store
    })
    return this.#store
  }
}
