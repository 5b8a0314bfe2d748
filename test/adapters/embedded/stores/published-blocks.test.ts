import { expect, test } from 'vitest'
import { LmdbStore } from '../../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openPublishedBlocks } from '../../../../src/adapters/embedded/stores/published-blocks.ts'
import { TOPICS } from '../../../../src/schemas/log.ts'
import type { BlockRef } from '../../../../src/schemas/scalars.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { toBlockHash } from '../../../support/ids.ts'

const at = (height: number, isSettled: boolean) => ({
  mark: { height, hash: toBlockHash(`${height}`.padStart(64, '0')) },
  isSettled,
})

test('blocks are kept by topic and log, the highest first, across restarts', async () => {
  const directory = temporaryDirectory()
  const open = (
    store: LmdbStore,
    topic: (typeof TOPICS)['states' | 'checkpoints'],
    logId: string,
  ) => openPublishedBlocks<BlockRef>(store, { topic, logId })
  let store = await LmdbStore.open(directory.path)
  try {
    const blocks = open(store, TOPICS.checkpoints, 'a')
    expect([...blocks.newest()]).toEqual([])
    await blocks.put([at(9, true), at(10, false), at(300, false), at(0, true)])
    await open(store, TOPICS.checkpoints, 'b').put([at(1, true)])
    await open(store, TOPICS.states, 'a').put([at(2, true)])
    await store.close()
    store = await LmdbStore.open(directory.path)
    const again = open(store, TOPICS.checkpoints, 'a')
    expect([...again.newest()]).toEqual([at(300, false), at(10, false), at(9, true), at(0, true)])
    await again.put([at(10, true)])
    await again.forget([at(300, false).mark, at(9, true).mark])
    expect([...again.newest()]).toEqual([at(10, true), at(0, true)])
    expect([...open(store, TOPICS.checkpoints, 'b').newest()]).toEqual([at(1, true)])
    expect([...open(store, TOPICS.states, 'a').newest()]).toEqual([at(2, true)])
    expect([...open(store, TOPICS.states, 'c').newest()]).toEqual([])
  } finally {
    await store.close()
    directory.drop()
  }
})
