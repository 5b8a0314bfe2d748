import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../src/adapters/embedded/log/log.ts'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { storeDirectory } from '../../src/roles/open/local-store.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { leaveNoOrphan } from '../support/processes/orphans.ts'

const RECORDS = 16_000
const PARTITIONS = 4
const FILLING = 'x'.repeat(6_000)
/** Of a process that reads 100 MB. */
const HEAP_MIB = 64
const AT_ONCE = 1_000
/** A process of its own, on a machine shared with others. */
const SLOW_MS = 180_000

vi.setConfig({ testTimeout: SLOW_MS, hookTimeout: SLOW_MS })

let bundle: Bundle
const directory = temporaryDirectory()
const DATA_DIR = directory.path

beforeAll(async () => {
  bundle = await bundleService()
  const store = await LmdbStore.open(storeDirectory({ DATA_DIR }))
  const log = await EmbeddedLog.open({ store, clock: systemClock, partitions: PARTITIONS })
  for (let first = 0; first < RECORDS; first += AT_ONCE) {
    await log.append(
      Array.from({ length: AT_ONCE }, (_, at) => ({
        topic: TOPICS.lifecycle,
        partition: (first + at) % PARTITIONS,
        key: String(first + at),
        value: { n: first + at, filling: FILLING },
      })),
    )
  }
  await store.close()
})
afterAll(() => {
  bundle.drop()
  directory.drop()
})

test('tail of a log that is larger than its memory prints at once, at the pace of its reader', async () => {
  const tailing = spawn(
    process.execPath,
    [`--max-old-space-size=${HEAP_MIB}`, bundle.market, 'tail', '--no-follow', '--json'],
    {
      env: { PATH: process.env['PATH'], ENV_FILE: '', DATA_DIR, ORDER_PARTITIONS: '4' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  leaveNoOrphan(tailing)
  const ended = once(tailing, 'close')
  const [begin]: Buffer[] = await once(tailing.stdout, 'data')
  tailing.stdout.pause()
  // The first lines are here while nearly all of the log is unread: the pipe is full.
  expect(begin?.toString()).toMatch(/^{"topic":"orders\.lifecycle","partition":\d,"offset":0,/)
  expect(tailing.exitCode).toBeNull()
  const lines = { count: countOf(begin) }
  tailing.stdout.on('data', (chunk: Buffer) => {
    lines.count += countOf(chunk)
  })
  tailing.stdout.resume()
  expect(await ended).toEqual([0, null])
  expect(lines.count).toBe(RECORDS)
})

const NEWLINE = 10
function countOf(bytes: Uint8Array = new Uint8Array()): number {
  let count = 0
  for (const byte of bytes) if (byte === NEWLINE) count += 1
  return count
}
