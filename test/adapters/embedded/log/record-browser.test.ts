import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../../src/adapters/embedded/log/log.ts'
import { EmbeddedRecordBrowser } from '../../../../src/adapters/embedded/log/record-browser.ts'
import { recordBrowserContract } from '../../../contracts/record-browser.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { systemClock } from '../../../support/system-clock.ts'

recordBrowserContract('embedded', async () => {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const log = await EmbeddedLog.open({ store, partitions: 3, clock: systemClock })
  const browser = new EmbeddedRecordBrowser(store, 3, systemClock)
  const close = async () => {
    await store.close()
    drop()
  }
  return { log, browser, close }
})
