import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedSnapshotStore } from '../../src/adapters/embedded/log/snapshot-store.ts'
import { systemClock } from '../../src/adapters/embedded/system-clock.ts'
import { KafkaLog } from '../../src/adapters/kafka/log.ts'
import { KafkaServer } from '../../test/support/services/kafka.ts'

export const PARTITIONS = 16

export interface Opened {
  broker: string
  log: KafkaLog
  kafka: KafkaLog['kafka']
  store: LmdbStore
}

/** A broker, and logs on it with an empty disk each. */
export async function withKafka<T>(run: (open: (name: string) => Promise<Opened>) => Promise<T>) {
  const directory = mkdtempSync(path.join(tmpdir(), 'market-bench-'))
  const server = await KafkaServer.start()
  const closes: (() => Promise<void>)[] = [async () => await server.stop()]
  const prefix = `${randomUUID().slice(0, 8)}.`
  try {
    return await run(async (name) => {
      const store = await LmdbStore.open(path.join(directory, name))
      closes.push(() => store.close())
      const log = await KafkaLog.open({
        brokers: [server.broker],
        clientId: 'market-bench',
        prefix,
        network: 'regtest',
        partitions: PARTITIONS,
        clock: systemClock,
        snapshots: async () => new EmbeddedSnapshotStore(store),
        onLog: () => {},
        onFailure: ({ error }) => {
          throw error
        },
      })
      closes.push(() => log.close())
      return { broker: server.broker, log, kafka: log.kafka, store }
    })
  } finally {
    for (const close of closes.reverse()) await close()
    rmSync(directory, { recursive: true })
  }
}
