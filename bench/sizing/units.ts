import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { openEmbeddedHistory } from '../../src/adapters/embedded/stores/history.ts'
import { kafkaMessageOf } from '../../src/adapters/kafka/client/codec.ts'
import { bareTransaction } from '../../src/domain/chain/bare-transaction.ts'
import type { NewRecord } from '../../src/ports/log/event-log.ts'
import { ChangeRecord, LOG_SCHEMA, TOPICS, type Watermark } from '../../src/schemas/log.ts'
import {
  blockRecords,
  mempoolRecords,
  watermarkRecords,
} from '../../src/streams/ingest/step-records.ts'
import { bundleService } from '../../test/support/bundle.ts'
import { temporaryDirectory } from '../../test/support/embedded.ts'
import { toBlockHash } from '../../test/support/ids.ts'
import { ServiceProcess } from '../../test/support/services/service-process.ts'
import { transactionOf } from '../rehearsal/transactions.ts'

// The units that docs/scale.md multiplies (scripts/docs/scale-units.ts) and that no other benchmark
// measures: the compressed size of a record in Kafka, of a change in ClickHouse. The orders are the
// devnet's book: real asks, imported and verified.

const PARTITIONS = 16
const BLOCK_TRANSACTIONS = 3_500
/** Mainnet's records in a second. */
const PUSHED_AT_ONCE = 7
const COPIES = 1_000
const ROWS_AT_ONCE = 1_000
/** Kafka's header of a batch, and of a record in it: lengths, deltas, counts. */
const BATCH_HEADER_BYTES = 61
const RECORD_HEADER_BYTES = 12
const AT = '2026-11-21T18:07:46.193Z'

/** Compressed as one batch a partition. */
function bytesOf(records: Iterable<NewRecord>): number {
  const batches = new Map<string, NewRecord[]>()
  for (const record of records) {
    const place = `${record.topic} ${record.partition}`
    const batch = batches.get(place) ?? []
    batches.set(place, batch)
    batch.push(record)
  }
  let bytes = 0
  for (const batch of batches.values()) {
    const texts = batch.map((record) => {
      const { key, value } = kafkaMessageOf(record)
      return Buffer.concat([Buffer.alloc(RECORD_HEADER_BYTES), Buffer.from(`${key}${value}`)])
    })
    bytes += BATCH_HEADER_BYTES + gzipSync(Buffer.concat(texts)).length
  }
  return bytes
}

const isInbox = ({ topic }: NewRecord) => topic === TOPICS.inbox
const transactions = Array.from({ length: BLOCK_TRANSACTIONS }, (_, at) => {
  const { txid, bytes } = transactionOf(at)
  return bareTransaction({ txid, hex: bytes.toString('hex') })
})
const placing = { partitions: PARTITIONS, at: AT }
const block = {
  height: 950_000,
  hash: toBlockHash('ab'.repeat(32)),
  prevHash: toBlockHash('cd'.repeat(32)),
  time: 1_795_000_000,
}
const ofBlock = [...blockRecords('connect', { ...block, transactions }, placing)].filter(isInbox)
const ofPush = [
  ...mempoolRecords(
    transactions
      .slice(0, PUSHED_AT_ONCE)
      .map((transaction) => ({ change: 'entered', transaction, sequence: 1 }) as const),
    placing,
  ),
].filter(isInbox)
const watermark: Watermark = {
  schema: LOG_SCHEMA,
  kind: 'watermark',
  epoch: 1_795_000_000,
  n: 1_000,
  at: AT,
  covers: true,
  tip: { height: 950_000, hash: toBlockHash('ab'.repeat(32)), medianTime: 1_795_000_000 },
  mempoolSequence: 1_000_000,
  index: { version: 'ord 0.29.1', height: 950_000, hash: toBlockHash('ab'.repeat(32)) },
  indexStatus: 'ready',
  touched: '',
}

interface Told {
  topic: string
  partition: number
  offset: number
  value: { kind: string; orderId?: string }
}

const program = await bundleService()
const folder = temporaryDirectory()
try {
  const variables = { DATA_DIR: folder.path, PORT: '0', METRICS_PORT: '0' }
  {
    await using service = new ServiceProcess(program, ['start'], variables)
    const address = await service.ready()
    const states = async (): Promise<string[]> => {
      const answer = await fetch(`${address}/api/market/orders?limit=200`)
      return (await answer.text()).match(/(?<="state":")[A-Z_]+/g) ?? []
    }
    const isVerified = (found: readonly string[]) =>
      found.length > 0 && !found.some((state) => state.startsWith('PENDING'))
    while (!isVerified(await states())) await delay(500)
    await service.end()
  }
  const told = async (topic: string): Promise<Told[]> => {
    const tail = new ServiceProcess(
      program,
      ['tail', '--topic', topic, '--no-follow', '--json', '--from', 'beginning'],
      variables,
    )
    const { stdout } = await tail.ended()
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Told)
  }
  const meanBytes = (records: readonly Told[]) =>
    records.reduce(
      (sum, { value }) =>
        sum + bytesOf([{ topic: TOPICS.lifecycle, partition: 0, key: value.orderId ?? '', value }]),
      0,
    ) / records.length
  const lifecycle = await told(TOPICS.lifecycle)
  const changes = lifecycle.filter(
    ({ value }) => value.kind === 'transition' || value.kind === 'verified',
  )
  const orders = new Set(changes.map(({ value }) => value.orderId))
  const inbox = await told(TOPICS.inbox)
  const asked = inbox.filter(({ value }) => value.kind === 'command' || value.kind === 'evidence')
  const snapshots = (await told(TOPICS.snapshots)).filter(({ value }) => value.kind === 'order')

  // Hashes and keys differ from order to order: everything else is as it was decided.
  const history = openEmbeddedHistory({ directory: `${folder.path}/units` })
  const rows: Parameters<typeof history.record>[0][number][] = []
  for (let copy = 0; copy < COPIES; copy += 1) {
    const hashes = new Map<string, string>()
    const fresh = (hash: string) => {
      const found = hashes.get(hash) ?? randomBytes(32).toString('hex')
      hashes.set(hash, found)
      return found
    }
    for (const { partition, offset, value } of changes) {
      const text = JSON.stringify(value).replace(/\b[0-9a-f]{64}\b/g, fresh)
      const change = ChangeRecord.parse(JSON.parse(text))
      rows.push({ partition, offset: copy * 100_000 + offset, change })
    }
  }
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await history.record(rows.slice(from, from + ROWS_AT_ONCE))
  }
  const tables = await history.sizes()
  await history.close()

  const round = (value: number) => Number(value.toPrecision(3))
  console.log(
    JSON.stringify(
      {
        kafkaBytesOfBlockRecord: round(bytesOf(ofBlock) / ofBlock.length),
        kafkaBytesOfPushedRecord: round(bytesOf(ofPush) / ofPush.length),
        kafkaBytesOfWatermark: round(bytesOf(watermarkRecords(watermark, PARTITIONS)) / PARTITIONS),
        kafkaBytesOfChange: round(meanBytes(changes)),
        kafkaBytesOfOutcome: round(
          meanBytes(lifecycle.filter(({ value }) => value.kind === 'outcome')),
        ),
        kafkaBytesOfCommandOrEvidence: round(meanBytes(asked)),
        kafkaBytesOfSnapshot: round(meanBytes(snapshots)),
        changesOfOrder: round(changes.length / orders.size),
        commandsAndEvidenceOfOrder: round(asked.length / orders.size),
        clickhouseBytesOfChange: round(
          tables.reduce((sum, { bytes }) => sum + bytes, 0) / rows.length,
        ),
      },
      null,
      2,
    ),
  )
} finally {
  program.drop()
  folder.drop()
}
