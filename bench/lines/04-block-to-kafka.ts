import { blockTransactions } from '../../src/adapters/bitcoind/block-body.ts'
import { openIngestCopy } from '../../src/adapters/embedded/log/ingest-store.ts'
import { batchesOf, sending } from '../../src/adapters/kafka/client/batches.ts'
import type { KafkaRecord } from '../../src/adapters/kafka/client/codec.ts'
import { IngestWriter } from '../../src/adapters/kafka/ingest-writer.ts'
import { bareTransaction } from '../../src/domain/chain/bare-transaction.ts'
import type { StoredBlock } from '../../src/ports/log/ingest-store.ts'
import { Journal } from '../../src/streams/ingest/journal.ts'
import { blockRecords } from '../../src/streams/ingest/step-records.ts'
import { toBlockHash } from '../../test/support/ids.ts'
import { systemClock } from '../../test/support/system-clock.ts'
import { compare, type Line } from '../harness/line.ts'
import { timed } from '../harness/processor-time.ts'
import type { Comparison } from '../harness/results.ts'
import { PARTITIONS, withKafka } from '../market/with-kafka.ts'
import { openProducer } from '../rehearsal/fill-topics.ts'
import { BlockMaker, type RawBytes } from './books/fold-blocks.ts'

/** Of two inputs and six outputs each: 1.7 MB. */
const TRANSACTIONS = 3_500
const QUICK_TRANSACTIONS = 350
const INPUTS = 2
const NEVER = new AbortController().signal

export const line: Line = {
  number: 4,
  name: 'block-to-kafka',
  work: 'a block into the inbox on Kafka, from its bytes to the last record acknowledged',
  peer: 'kafkajs sending the same records, ready-made, in as large batches without transactions',
  run: ({ isQuick, rounds }) =>
    withKafka(async (open) => {
      const transactions = isQuick ? QUICK_TRANSACTIONS : TRANSACTIONS
      const maker = new BlockMaker()
      const nextBlock = () => maker.next({ objects: 0, circles: 0, others: transactions })
      const { log, kafka, store } = await open('ingest')
      const producer = await openProducer(kafka)
      const writer = new IngestWriter(log, openIngestCopy(store), systemClock)
      const compared = await writer.run(NEVER, async (own): Promise<Comparison> => {
        const journal = await Journal.open({ log: own, store: own, clock: systemClock })
        return await compare(
          {
            name: '',
            sizes: `${transactions * INPUTS} inputs, ${PARTITIONS} partitions, one broker`,
            unit: 'ms',
            ratio: 'ours/peer',
            target: { atMost: 1.5 },
            rounds,
            warmUp: 2,
          },
          async () => {
            const raw = nextBlock()
            const { ms, cpuUs } = await timed(async () => journal.connect(await blockOf(raw)))
            return { figure: ms, cpuUs }
          },
          async () => {
            const block = await blockOf(nextBlock())
            const placing = { partitions: PARTITIONS, at: new Date().toISOString() }
            const records = [...blockRecords('connect', block, placing)] as KafkaRecord[]
            const batches = [...batchesOf(records, log.prefix)]
            const { ms, cpuUs } = await timed(async () => {
              for (const batch of batches) await producer.sendBatch(sending(batch))
            })
            return { figure: ms, cpuUs }
          },
        )
      })
      await producer.disconnect()
      return [compared]
    }),
}

/** As ingest gets it from the node. */
async function blockOf({ height, hash, bytes }: RawBytes): Promise<StoredBlock> {
  const transactions = await blockTransactions(bytes, systemClock)
  return {
    height,
    hash,
    prevHash: toBlockHash(Buffer.from(bytes.subarray(4, 36)).reverse().toString('hex')),
    time: bytes.readUInt32LE(68),
    transactions: transactions.map(bareTransaction),
  }
}
