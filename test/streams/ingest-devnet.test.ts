import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDevnet } from '../../src/adapters/devnet/devnet.ts'
import { openIngestStore } from '../../src/adapters/embedded/ingest-store.ts'
import { LmdbStore } from '../../src/adapters/embedded/lmdb-store.ts'
import { EmbeddedLog } from '../../src/adapters/embedded/log.ts'
import { outpointText } from '../../src/domain/outpoint.ts'
import { partitionOf } from '../../src/domain/partition.ts'
import { InboxRecord, TOPICS, type Watermark } from '../../src/schemas/log.ts'
import { ingest } from '../../src/streams/ingest.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { systemClock } from '../support/system-clock.ts'

const PARTITIONS = 4
const SCRIPT = `0014${'22'.repeat(20)}`
const OPTIONS = { watermarkMs: 20, indexPollMs: 10 }

let directory: ReturnType<typeof temporaryDirectory>
let store: LmdbStore
let log: EmbeddedLog
let stop: AbortController
let running: Promise<void>
const devnet = () => openDevnet({ dataDir: null, clock: systemClock, network: 'regtest' })
let chain: ReturnType<typeof devnet>
/** Watermarks that the test has passed. */
let heard = 0

beforeEach(async () => {
  directory = temporaryDirectory()
  store = await LmdbStore.open(directory.path)
  log = await EmbeddedLog.open({ store, partitions: PARTITIONS, clock: systemClock })
  chain = devnet()
  heard = 0
  start()
})

afterEach(async () => {
  stop.abort()
  await running
  await chain.close()
  await store.close()
  directory.drop()
})

function start(): void {
  stop = new AbortController()
  const { node, index } = chain
  const parts = { node, index, clock: systemClock, log, options: OPTIONS }
  running = ingest({ ...parts, store: openIngestStore(store) }, stop.signal)
}

async function inbox(partition: number): Promise<InboxRecord[]> {
  const all: InboxRecord[] = []
  const end = await log.end(TOPICS.inbox, partition)
  if (end === 0) return all
  for await (const batch of log.read(TOPICS.inbox, partition, 0, AbortSignal.timeout(10_000))) {
    all.push(...batch.map(({ value }) => InboxRecord.parse(value)))
    if ((batch.at(-1)?.offset ?? 0) >= end - 1) break
  }
  return all
}

/** What the inbox tells of an output, in order. */
async function story(outpoint: string): Promise<string[]> {
  const records = await inbox(partitionOf(outpoint, PARTITIONS))
  return records.flatMap((record) =>
    'change' in record && record.outpoint === outpoint ? [`${record.kind} ${record.change}`] : [],
  )
}

/** The first of which this is true, after the last one that was asked for. */
async function watermark(isMeant: (watermark: Watermark) => boolean): Promise<Watermark> {
  for (const deadline = performance.now() + 15_000; performance.now() < deadline; ) {
    const marks = (await inbox(0)).filter((record) => record.kind === 'watermark')
    const found = marks.findIndex((mark, place) => place >= heard && isMeant(mark))
    const mark = marks[found]
    if (mark) {
      heard = found + 1
      return mark
    }
    await setTimeout(5)
  }
  throw new Error('no such watermark came')
}

const current = async () => {
  const [{ tip }, { sequence }] = await Promise.all([chain.node.chain(), chain.node.mempool()])
  return watermark(
    (mark) => mark.tip.hash === tip.hash && mark.mempoolSequence === sequence && mark.covers,
  )
}

test('an output of the devnet is seen, confirmed, unconfirmed by a reorg and confirmed again', async () => {
  await current()
  const outpoint = outpointText(chain.fund(SCRIPT, 10_000n, { confirm: false }))
  await current()
  chain.mine(1)
  await current()
  const { forkHeight } = chain.reorg(2)
  expect(await watermark((mark) => mark.forkHeight !== undefined)).toMatchObject({ forkHeight })
  chain.mine(1)
  await current()
  await watermark(({ indexStatus }) => indexStatus === 'ready')
  expect(await story(outpoint)).toEqual([
    'output seen',
    'output confirmed',
    'output unconfirmed',
    'output confirmed',
  ])
})

test('node down and back, ingest down and back, eviction meanwhile: nothing is missed', async () => {
  const { epoch } = await current()
  const evicted = chain.fund(SCRIPT, 10_000n, { confirm: false })
  await current()
  chain.stopNode()
  await setTimeout(100)
  chain.startNode()
  const back = await watermark((mark) => mark.epoch > epoch)
  stop.abort()
  await running
  chain.evict(evicted.txid)
  const mined = outpointText(chain.fund(SCRIPT, 20_000n))
  start()
  await watermark((mark) => mark.epoch > back.epoch)
  await current()
  expect(await story(outpointText(evicted))).toEqual(['output seen', 'output gone'])
  expect(await story(mined)).toEqual(['output confirmed'])
})

test('an index that holds back is covered; one that is broken or away is not', async () => {
  const { height } = (await current()).tip
  chain.holdIndex(height)
  chain.mine(1)
  expect(await current()).toMatchObject({ indexStatus: 'behind', index: { height } })
  chain.holdIndex(null)
  chain.stopIndex()
  expect(await watermark((mark) => !mark.covers)).toMatchObject({ indexStatus: 'unreachable' })
  chain.startIndex()
  await current()
  chain.breakIndex()
  expect(await watermark((mark) => !mark.covers)).toMatchObject({ indexStatus: 'reorged' })
  chain.rebuildIndex()
  await watermark(({ lost }) => lost === 'all')
  await current()
})
