import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../src/adapters/embedded/log/log.ts'
import { temporaryDirectory } from '../embedded.ts'
import { ManualClock } from '../manual-clock.ts'

/** Runs with an embedded log in a directory of its own. */
export const withEmbeddedLog =
  (partitions: number) =>
  async (
    run: (log: EmbeddedLog, clock: ManualClock, store: LmdbStore) => Promise<void>,
  ): Promise<void> => {
    const { path, drop } = temporaryDirectory()
    const store = await LmdbStore.open(path)
    const clock = new ManualClock()
    try {
      await run(await EmbeddedLog.open({ store, partitions, clock }), clock, store)
    } finally {
      await store.close()
      drop()
    }
  }
