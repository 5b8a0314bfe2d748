import { existsSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { transactionOf } from '../../../../bench/rehearsal/transactions.ts'
import { openOrderWorker } from '../../../../src/actors/order-worker.ts'
import { openIngestStore } from '../../../../src/adapters/embedded/log/ingest-store.ts'
import type { EmbeddedLog } from '../../../../src/adapters/embedded/log/log.ts'
import { bareTransaction } from '../../../../src/domain/chain/bare-transaction.ts'
import { TOPICS } from '../../../../src/schemas/log.ts'
import { Journal } from '../../../../src/streams/ingest/journal.ts'
import { toBlockHash } from '../../../support/ids.ts'
import { idleWorker } from '../../../support/log/idle-worker.ts'
import { withEmbeddedLog } from '../../../support/log/with-embedded-log.ts'
import { systemClock } from '../../../support/system-clock.ts'

const PARTITIONS = 16
const PAGE_BYTES = 4_096
const TURNS = 25
/** Two seconds of mainnet. */
const TRANSACTIONS = 14
const COUNTS = '/proc/self/io'

const written = () => Number(/^wchar: (\d+)$/m.exec(readFileSync(COUNTS, 'utf8'))?.[1])

async function allConsumed(log: EmbeddedLog): Promise<void> {
  for (let partition = 0; partition < PARTITIONS; ) {
    const end = await log.end(TOPICS.inbox, partition)
    if ((await log.consumed(partition)) === end) partition += 1
    else await setTimeout(1)
  }
}

// Before: 76 pages for the append and 6 for the steps of all partitions.
test.runIf(existsSync(COUNTS))(
  'a turn of mainnet, a watermark among it, writes fewer than 45 pages',
  () =>
    withEmbeddedLog(PARTITIONS)(async (log, _clock, store) => {
      const ingest = openIngestStore(store, log)
      const journal = await Journal.open({ log, store: ingest, clock: systemClock })
      const stop = new AbortController()
      const running = log.processInbox(openOrderWorker(idleWorker(PARTITIONS)), stop.signal)
      const tip = { height: 1, hash: toBlockHash('aa'.repeat(32)), medianTime: 1 }
      const index = { height: 1, hash: tip.hash, version: 'ord 1' }
      let sequence = 0
      const turn = async () => {
        const changes = Array.from({ length: TRANSACTIONS }, () => {
          sequence += 1
          const { txid, bytes } = transactionOf(sequence)
          const transaction = bareTransaction({ txid, hex: bytes.toString('hex') })
          return { change: 'entered' as const, transaction, sequence }
        })
        await journal.changeMempool(changes)
        const at = new Date(systemClock.now()).toISOString()
        const mark = { at, covers: true, tip, mempoolSequence: sequence, index }
        await journal.mark({ ...mark, indexStatus: 'ready' })
        await allConsumed(log)
      }
      for (let first = 0; first < TURNS; first += 1) await turn()
      const before = written()
      for (let second = 0; second < TURNS; second += 1) await turn()
      const pages = (written() - before) / PAGE_BYTES / TURNS
      stop.abort()
      await running
      expect(pages).toBeLessThan(45)
      expect(pages).toBeGreaterThan(5)
    }),
  60_000,
)
