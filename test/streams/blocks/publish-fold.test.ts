import { setImmediate } from 'node:timers/promises'
import { Subject } from 'rxjs'
import { expect, test } from 'vitest'
import type { NewRecord } from '../../../src/ports/log/event-log.ts'
import { StorageUnavailableError } from '../../../src/ports/log/storage-errors.ts'
import { keepPublished } from '../../../src/streams/blocks/publish-fold.ts'
import {
  compacted,
  connected,
  MemoryPublishedBlocks,
  ToyFold,
} from '../../support/folds/toy-fold.ts'
import { toBlockHash } from '../../support/ids.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const ONES = (count: number): string => '1'.repeat(count)

function open() {
  const fold = new ToyFold()
  const batches: (readonly NewRecord[])[] = []
  const log = {
    trouble: null as Error | null,
    async append(records: readonly NewRecord[]) {
      if (log.trouble) throw log.trouble
      batches.push(records)
    },
  }
  const published = new MemoryPublishedBlocks()
  const parts = { feed: fold.feed, published, log, clock: new ManualClock() }
  const topic = () => compacted(batches.flat())
  return { fold, batches, log, parts, topic }
}

/** Turns of the event loop, not time: a busy machine takes longer for each. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await setImmediate()
}

test('existing records are published in bounded batches, then what each wake finds, until the end', async () => {
  const { fold, batches, parts, topic } = open()
  fold.connect(ONES(600))
  const wakes = new Subject<void>()
  const stop = new AbortController()
  const publishing = keepPublished(parts, wakes, stop.signal)
  await settled()
  expect(batches.map(({ length }) => length)).toEqual([256, 256, 88])
  expect(
    batches
      .flat()
      .every(({ topic: name, partition }) => name === 'circles.states' && partition === 0),
  ).toBe(true)
  fold.disconnect(599)
  fold.connect('2')
  await settled()
  expect(batches).toHaveLength(3)
  wakes.next()
  await settled()
  expect(batches.map(({ length }) => length)).toEqual([256, 256, 88, 256, 256, 87, 1])
  // The newest first.
  expect(batches[3]?.[0]?.key).toBe('600')
  expect(topic().get('1')).toEqual(connected({ height: 0, hash: toBlockHash('1'), revision: 1 }))
  expect(topic().get('2')).toEqual({ kind: 'disconnected', hash: '11' })
  expect(topic().get('3')).toEqual(connected({ height: 1, hash: toBlockHash('12'), revision: 3 }))
  stop.abort()
  await publishing
  fold.connect('1')
  wakes.next()
  await settled()
  expect(batches).toHaveLength(7)
})

test('a log that refuses writes ends it, and restarted it continues where it was', async () => {
  const { fold, batches, log, parts, topic } = open()
  fold.connect('11')
  const { signal } = new AbortController()
  log.trouble = new StorageUnavailableError('io', 'no broker answers')
  await expect(keepPublished(parts, new Subject(), signal)).rejects.toThrow('no broker answers')
  log.trouble = null
  // What was to be published when it failed is no longer on the chain.
  fold.disconnect(1)
  void keepPublished(parts, new Subject(), signal)
  await settled()
  expect(batches.flat().map(({ key }) => key)).toEqual(['2', '1'])
  expect(topic().get('2')).toEqual({ kind: 'disconnected', hash: '11' })
})

test('aborted before it begins, it does nothing', async () => {
  const { fold, batches, parts } = open()
  fold.connect('1')
  await keepPublished(parts, new Subject(), AbortSignal.abort())
  expect(batches).toEqual([])
})
