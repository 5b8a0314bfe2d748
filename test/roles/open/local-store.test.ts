import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/adapters/embedded/system-clock.ts'
import { Closer } from '../../../src/roles/context/closer.ts'
import { supervise } from '../../../src/roles/context/supervise.ts'
import { openMetrics } from '../../../src/roles/observe/metrics.ts'
import { LocalStore } from '../../../src/roles/open/local-store.ts'
import { aborted } from '../../../src/runtime/until-aborted.ts'
import { Config } from '../../../src/schemas/config/config.ts'
import { temporaryDirectory } from '../../support/embedded.ts'

const directory = temporaryDirectory()
afterAll(() => directory.drop())

test('a store that a loop has opened is closed once the loop has ended', async () => {
  const closer = new Closer()
  const local = new LocalStore({
    config: Config.parse({ DATA_DIR: directory.path }),
    closer,
    metrics: openMetrics(),
  })
  const report = vi.fn()
  let read: unknown = null
  supervise('loop', { clock: systemClock, report, closer }, async (signal) => {
    const table = (await local.open()).table('numbers')
    read = 'begun'
    await aborted(signal)
    // What is under way at the stop.
    for (let turn = 0; turn < 10; turn += 1) {
      await setImmediate()
      table.get('one')
    }
    read = 'ended'
  })
  await vi.waitFor(() => expect(read).toBe('begun'), { timeout: 10_000 })
  await closer.close()
  expect(report.mock.calls).toEqual([])
  expect(read).toBe('ended')
})

test('a store is not opened any more once its process has closed what it had', async () => {
  const closer = new Closer()
  const config = Config.parse({ DATA_DIR: join(directory.path, 'closed') })
  const local = new LocalStore({ config, closer, metrics: openMetrics() })
  await closer.close()
  await expect(local.open()).rejects.toThrow(`${local.directory} is closed`)
  const another = new LocalStore({ config, closer: new Closer(), metrics: openMetrics() })
  expect(another.isNew).toBe(true)
})
