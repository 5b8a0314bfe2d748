import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../src/adapters/embedded/log/log.ts'
import { EmbeddedViews } from '../../../src/adapters/embedded/views/views.ts'
import type { CrashPoint } from '../../../src/ports/log/crash-points.ts'
import { projectViews } from '../../../src/projections/project-views.ts'
import { openToyWorker } from '../log/toy-worker.ts'
import { systemClock as clock } from '../system-clock.ts'

// Consumes the inbox and folds the views, until it kills itself on the n-th pass of a point.
// Arguments: directory, point, n.
const [directory = '', point, times = '1'] = process.argv.slice(2)
let left = Number(times)
const onPoint = (passed: CrashPoint) => {
  if (passed !== point) return
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
}
const store = await LmdbStore.open(directory)
const log = await EmbeddedLog.open({ store, partitions: 3, clock, onPoint })
const views = await EmbeddedViews.open({ store, network: 'regtest', clock, onPoint })
const never = new AbortController().signal
await Promise.all([
  log.processInbox(openToyWorker, never),
  projectViews({ log, views, clock }, never),
])
