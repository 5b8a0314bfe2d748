import { existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileOf } from '../../adapters/embedded/lmdb/lmdb-environment.ts'
import { mapBytesOf } from '../../adapters/embedded/lmdb/lmdb-map.ts'
import { LmdbStore } from '../../adapters/embedded/lmdb/lmdb-store.ts'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import type { Config } from '../../schemas/config/config.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import type { Metrics } from '../observe/metrics.ts'

export const storeDirectory = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string =>
  join(DATA_DIR, 'store')

/**
 * The one store of DATA_DIR, opened by the first part that needs it. Its place in the order of closing is
 * that of this object: a loop that opens it, which was registered later, has ended before it is closed.
 */
export class LocalStore {
  readonly directory: string
  /** The store did not exist before this process. */
  readonly isNew: boolean
  readonly #context: Pick<RuntimeContext, 'config' | 'closer' | 'metrics'>
  #store: Promise<LmdbStore> | null = null
  #isClosed = false

  constructor(context: Pick<RuntimeContext, 'config' | 'closer' | 'metrics'>) {
    this.directory = storeDirectory(context.config)
    this.isNew = !existsSync(this.directory)
    this.#context = context
    context.closer.add(() => this.#close())
  }

  /** Throws `StorageUnavailableError` while another process has it open, and once it is closed. */
  async open(): Promise<LmdbStore> {
    const { directory } = this
    if (this.#isClosed) throw new StorageUnavailableError('closed', `${directory} is closed`)
    const { config, metrics } = this.#context
    const mapBytes = mapBytesOf(config)
    this.#store ??= LmdbStore.open(directory, { mapBytes }).then((store) => {
      meterStoreSize(metrics, { directory, file: fileOf(directory), limitBytes: mapBytes })
      return store
    })
    return this.#store
  }

  async #close(): Promise<void> {
    this.#isClosed = true
    const store = await this.#store?.catch(() => null)
    await store?.close()
  }
}

/** Reports how full the store of DATA_DIR and its disk are. */
function meterStoreSize(
  { watch }: Pick<Metrics, 'watch'>,
  { directory, file, limitBytes }: { directory: string; file: string; limitBytes: number },
): void {
  const disk = () => statfsSync(directory)
  watch('market_disk_free_bytes', 'Free bytes on the disk of DATA_DIR.', () => {
    const { bavail, bsize } = disk()
    return bavail * bsize
  })
  watch('market_disk_size_bytes', 'Size of the disk of DATA_DIR.', () => {
    const { blocks, bsize } = disk()
    return blocks * bsize
  })
  watch('market_store_bytes', 'Size of the store in DATA_DIR.', () => statSync(file).size)
  watch(
    'market_store_limit_bytes',
    'The size that the store may have: LMDB_MAP_GIB.',
    () => limitBytes,
  )
}
