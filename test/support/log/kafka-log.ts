import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedSnapshotStore } from '../../../src/adapters/embedded/log/snapshot-store.ts'
import { systemClock } from '../../../src/adapters/embedded/system-clock.ts'
import { KafkaLog, type KafkaLogOptions } from '../../../src/adapters/kafka/log.ts'
import { temporaryDirectory } from '../embedded.ts'
import type { KafkaServer } from '../services/kafka.ts'

export interface OpenedKafkaLog {
  log: KafkaLog
  prefix: string
  reopen(): Promise<KafkaLog>
  /** Like another process, with its own copies. */
  another(options?: Partial<KafkaLogOptions>): Promise<KafkaLog>
  close(): Promise<void>
}

/** A log under a prefix of its own. */
export async function openKafkaLog(
  server: KafkaServer,
  options: Partial<KafkaLogOptions> & { partitions: number },
): Promise<OpenedKafkaLog> {
  const prefix = `${randomUUID().slice(0, 8)}.`
  const closes: (() => Promise<void> | void)[] = []
  const open = async (folder: string, more: Partial<KafkaLogOptions>) => {
    const store = await LmdbStore.open(folder)
    const log = await KafkaLog.open({
      brokers: [server.broker],
      clientId: 'market-test',
      prefix,
      network: 'regtest',
      clock: systemClock,
      snapshots: async () => new EmbeddedSnapshotStore(store),
      onLog: () => {},
      ...options,
      ...more,
    })
    const close = async () => {
      await log.close()
      await store.close()
    }
    return { log, close }
  }
  const directory = temporaryDirectory()
  let first = await open(join(directory.path, '0'), {})
  let others = 0
  return {
    log: first.log,
    prefix,
    reopen: async () => {
      await first.close()
      first = await open(join(directory.path, '0'), {})
      return first.log
    },
    another: async (more = {}) => {
      others += 1
      const opened = await open(join(directory.path, String(others)), more)
      closes.push(opened.close)
      return opened.log
    },
    close: async () => {
      for (const close of closes) await close()
      await first.close()
      directory.drop()
    },
  }
}
