import { join } from 'node:path'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../src/adapters/embedded/log/log.ts'
import { openEmbeddedHistory } from '../../../src/adapters/embedded/stores/history.ts'
import type { CrashPoint } from '../../../src/ports/log/crash-points.ts'
import { projectHistory } from '../../../src/projections/project-history.ts'
import { systemClock as clock } from '../system-clock.ts'

// Writes the lifecycle to the history, until it kills itself when it passes a point, or the given
// number of milliseconds later. Arguments: directory, point, milliseconds.
const [directory = '', point, wait] = process.argv.slice(2)
const die = () => process.kill(process.pid, 'SIGKILL')
const onPoint = (passed: CrashPoint) => {
  if (passed !== point) return
  if (wait === undefined) die()
  else setTimeout(die, Number(wait))
}
const store = await LmdbStore.open(directory)
const log = await EmbeddedLog.open({ store, partitions: 2, clock })
const history = openEmbeddedHistory({ directory: join(directory, 'history'), onPoint })
await projectHistory({ log, history, clock }, new AbortController().signal)
