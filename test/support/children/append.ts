import { randomBytes } from 'node:crypto'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../src/adapters/embedded/log/log.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import { systemClock } from '../system-clock.ts'

// Appends forever and prints what was acknowledged: `<first> <count>` a line; at the first error
// its reason. Arguments: directory, bytes of a record.
const [directory = '', bytes = '64'] = process.argv.slice(2)
const store = await LmdbStore.open(directory, { minFreeBytes: 0 })
const log = await EmbeddedLog.open({ store, partitions: 1, clock: systemClock })
try {
  for (let next = await log.end(TOPICS.lifecycle, 0); ; ) {
    const numbers = Array.from({ length: 1 + (next % 5) }, (_, index) => next + index)
    await log.append(
      numbers.map((n) => ({
        topic: TOPICS.lifecycle,
        partition: 0,
        key: 'k',
        value: { n, filling: randomBytes(Number(bytes)).toString('base64') },
      })),
    )
    process.stdout.write(`${next} ${numbers.length}\n`)
    next += numbers.length
  }
} catch (error) {
  const { name, reason } = error as { name: string; reason?: string }
  process.stdout.write(`${name} ${reason}\n`)
}
