import type { Kafka, Message, Producer } from 'kafkajs'
import { sending } from '../../src/adapters/kafka/client/batches.ts'
import { writtenChange } from '../../src/adapters/kafka/ingest-changelog.ts'
import type { IngestChange, IngestState, MempoolChange } from '../../src/ports/log/ingest-store.ts'
import { NEWEST_LOG_SCHEMA } from '../../src/schemas/log.ts'
import { transactionOf } from './transactions.ts'

const SENT_AT_ONCE = 2_000

/** For a topic that is filled at once: outside any transaction. */
export async function openProducer(kafka: Kafka): Promise<Producer> {
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 })
  await producer.connect()
  return producer
}

/**
 * What ingest writes for a mempool of this size and all its changes so far: each one is an
 * intention, then entries and a state. The oldest transactions leave as others arrive.
 */
export async function fillIngestState(
  producer: Producer,
  topic: string,
  { mempool, updates }: { mempool: number; updates: number },
): Promise<void> {
  let batch: Message[] = []
  const send = async () => {
    await producer.sendBatch(sending([{ topic, messages: batch }]))
    batch = []
  }
  for (const { key, value } of entries(mempool, updates)) {
    const text = value === null ? null : JSON.stringify(value)
    batch.push({ partition: 0, key, value: text })
    if (batch.length >= SENT_AT_ONCE) await send()
  }
  await send()
}

function* entries(mempool: number, updates: number) {
  let written = 0
  for (let number = 0; number < mempool; number += 1) {
    yield* recordsOf({ state: stateOf(null), entered: [transactionOf(number)] }).slice(0, 1)
  }
  for (let number = 0; written < updates; number += 1) {
    const transaction = transactionOf(mempool + number)
    const left = transactionOf(number).txid
    const changes: MempoolChange[] = [{ change: 'entered', transaction, sequence: number }]
    const written_: IngestChange[] = [
      { state: stateOf(changes) },
      { state: stateOf(null), entered: [transaction], left: [left] },
    ]
    for (const change of written_) {
      for (const entry of recordsOf(change)) {
        yield entry
        written += 1
      }
    }
  }
}

const recordsOf = (change: IngestChange) =>
  writtenChange(change, { statePieces: 0, forgotten: [] }, NEWEST_LOG_SCHEMA).records

const stateOf = (changes: readonly MempoolChange[] | null): IngestState => ({
  epoch: 1,
  tip: null,
  pending: changes && { kind: 'mempool', changes },
  owed: { touched: '' },
  index: null,
})
