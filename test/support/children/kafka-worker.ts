import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedSnapshotStore } from '../../../src/adapters/embedded/log/snapshot-store.ts'
import { KafkaLog } from '../../../src/adapters/kafka/log.ts'
import { openHeadSigner } from '../../../src/domain/heads/sign-head.ts'
import type { CrashPoint } from '../../../src/ports/log/crash-points.ts'
import { openToyWorker } from '../log/toy-worker.ts'
import { systemClock } from '../system-clock.ts'

export interface WorkerErrand {
  broker: string
  prefix: string
  partitions: number
  directory: string
  /** Private, in hex: signs heads of the log. */
  headsKey: string
  /** Where this process kills itself, on the n-th pass. */
  kill: { point: CrashPoint; passing: number } | null
}

// One worker of a fleet on Kafka: prints `ready` when it is a member, then `opened <partition>` for
// each partition that it takes, and a line for each failure. SIGTERM stops it gracefully.
const { broker, prefix, partitions, directory, headsKey, kill } = JSON.parse(
  process.argv[2] ?? '',
) as WorkerErrand
const store = await LmdbStore.open(directory)
const heads = openHeadSigner(Buffer.from(headsKey, 'hex'), 'regtest')
let passings = 0
const log = await KafkaLog.open({
  brokers: [broker],
  clientId: 'toy',
  prefix,
  network: 'regtest',
  partitions,
  clock: systemClock,
  ...(heads ? { heads } : {}),
  snapshots: async () => new EmbeddedSnapshotStore(store),
  onLog: () => {},
  onPoint: (point) => {
    if (point !== kill?.point) return
    passings += 1
    if (passings === kill.passing) process.kill(process.pid, 'SIGKILL')
  },
  onFailure: ({ partition, error }) =>
    process.stdout.write(`failed ${partition} ${String(error)}\n`),
})
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
process.stdout.write('ready\n')
while (!stop.signal.aborted) {
  await log
    .processInbox(async (state) => {
      process.stdout.write(`opened ${state.partition}\n`)
      return await openToyWorker(state)
    }, stop.signal)
    .catch((error: unknown) => process.stdout.write(`failed ${String(error)}\n`))
}
await log.close()
await store.close()
