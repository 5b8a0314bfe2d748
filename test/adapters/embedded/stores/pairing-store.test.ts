import { expect, test } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openPairingStore } from '../../../../src/adapters/embedded/stores/pairing-store.ts'
import { StorageUnavailableError } from '../../../../src/ports/log/storage-errors.ts'
import { pairingStoreContract } from '../../../contracts/pairing-store.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'

pairingStoreContract('embedded', async () => {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  return {
    store: openPairingStore(store),
    close: async () => {
      await store.close()
      drop()
    },
  }
})

test('a store that is closed says so, to readers and to writers', async () => {
  const { path, drop } = temporaryDirectory()
  const lmdb = await LmdbStore.open(path)
  const store = openPairingStore(lmdb)
  await lmdb.close()
  expect(() => store.read(({ rows }) => rows.get('a'))).toThrow(StorageUnavailableError)
  await expect(store.write(({ rows }) => rows.put('a', ''))).rejects.toThrow(
    StorageUnavailableError,
  )
  drop()
})
