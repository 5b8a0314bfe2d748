import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../src/adapters/embedded/log/log.ts'
import { openEmbeddedHistory } from '../../../src/adapters/embedded/stores/history.ts'
import { projectHistory } from '../../../src/projections/project-history.ts'
import { type ChangeRecord, TOPICS } from '../../../src/schemas/log.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { bookOf, dice } from '../../support/orders/order-book.ts'
import { lifeOf, mutated } from '../../support/orders/order-changes.ts'
import { startChild } from '../../support/services/child.ts'
import { systemClock as clock } from '../../support/system-clock.ts'

const PARTITIONS = 2

test('a history killed before, in and after an insert ends with every row of the log, once', async () => {
  const { path, drop } = temporaryDirectory()
  const changes: ChangeRecord[] = []
  const kills = [['before history'], ['after history'], ['before history', '6']]
  for (const [round, kill] of kills.entries()) {
    changes.push(...(await appendLives(path, round)))
    const child = startChild('record-history', [path, ...kill])
    expect(await child.ended).toBe('SIGKILL')
  }
  const expected = new Map<string, number>()
  for (const { orderId, seq } of changes) expected.set(orderId, seq)
  expect(await recordRest(path, expected.size)).toEqual(new Map([...expected].sort()))
  drop()
}, 60_000)

async function appendLives(path: string, seed: number): Promise<ChangeRecord[]> {
  const store = await LmdbStore.open(path)
  const log = await EmbeddedLog.open({ store, partitions: PARTITIONS, clock })
  const lives = bookOf(60, seed).map((order) => lifeOf([order, mutated(dice(seed), order)]))
  const records = lives.flatMap(({ changes }, index) =>
    changes.map((value) => ({
      topic: TOPICS.lifecycle,
      partition: index % PARTITIONS,
      key: value.orderId,
      value,
    })),
  )
  await log.append(records)
  await store.close()
  return lives.flatMap((life) => life.changes)
}

/**
 * Continues from the history's own position; the highest seq of each order, which is also its
 * number of rows.
 */
async function recordRest(path: string, orders: number): Promise<Map<string, number>> {
  const store = await LmdbStore.open(path)
  const log = await EmbeddedLog.open({ store, partitions: PARTITIONS, clock })
  const history = openEmbeddedHistory({ directory: join(path, 'history') })
  const stop = new AbortController()
  const projecting = projectHistory({ log, history, clock }, stop.signal)
  let found = new Map<string, number>()
  while (found.size < orders) {
    found = new Map()
    for await (const { orderId, rows, maxSeq } of history.summary()) {
      expect(rows).toBe(maxSeq)
      found.set(orderId, maxSeq)
    }
    await clock.sleep(50)
  }
  stop.abort()
  await projecting
  await history.close()
  await store.close()
  return found
}
