import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchLoopDelay } from '../../bench/harness/loop-delay.ts'
import { shown, stored, twice } from '../../bench/rehearsal/transactions.ts'
import { type Bitcoind, openBitcoind } from '../../src/adapters/bitcoind/bitcoind.ts'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { openIngestStore } from '../../src/adapters/embedded/log/ingest-store.ts'
import { EmbeddedLog } from '../../src/adapters/embedded/log/log.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import { InboxRecord, TOPICS, type Watermark } from '../../src/schemas/log.ts'
import { ingest } from '../../src/streams/ingest/ingest.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toOutpointText } from '../support/ids.ts'
import { type Core, prepareCore } from '../support/services/core.ts'
import { waitUntil } from '../support/services/programs.ts'
import { systemClock } from '../support/system-clock.ts'

// A real node without notifications, with a mempool of 20,000: small transactions in chains of 20,
// which anyone may spend (P2WSH of OP_TRUE), so that none has to be signed.

const CHAINS = 1_000
const CHAIN_LENGTH = 20
const WAITING = CHAINS * CHAIN_LENGTH
const FEE_SATS = 500
const SENT_AT_ONCE = 500
const PARTITIONS = 4
const PATIENCE_MS = 120_000
const SLOW_MS = 300_000
/** Five times the goal: of this process alone, whatever else the machine does. */
const MAX_HELD_MS = 250

const ANYONE = Buffer.from('51', 'hex')
const SCRIPT = Buffer.concat([
  Buffer.from('0020', 'hex'),
  createHash('sha256').update(ANYONE).digest(),
])

interface Payment {
  txid: string
  hex: string
}

/** An input that anyone may spend, outputs that anyone may spend (BIP 144). */
function pay(txid: string, vout: number, values: readonly number[]): Payment {
  const u32 = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    return bytes
  }
  const outputs = values.map((value) => {
    const amount = Buffer.alloc(8)
    amount.writeBigUInt64LE(BigInt(value))
    return Buffer.concat([amount, Buffer.of(SCRIPT.length), SCRIPT])
  })
  const count =
    values.length < 0xfd
      ? Buffer.of(values.length)
      : Buffer.of(0xfd, values.length & 0xff, values.length >> 8)
  const input = Buffer.concat([stored(txid), u32(vout), Buffer.of(0), u32(0xfffffffd)])
  const body = Buffer.concat([Buffer.of(1), input, count, ...outputs])
  const witness = Buffer.concat([Buffer.of(1, ANYONE.length), ANYONE])
  const whole = Buffer.concat([u32(2), Buffer.of(0, 1), body, witness, u32(0)])
  return { txid: shown(twice(u32(2), body, u32(0))), hex: whole.toString('hex') }
}

let core: Core
let node: Bitcoind
let store: LmdbStore
let log: EmbeddedLog
const directory = temporaryDirectory()
/** Spendable by anyone, and not spent yet. */
let free: { txid: string; sats: number }

async function sendAll(hexes: readonly string[]): Promise<void> {
  const cookie = (await readFile(core.cookieFile, 'utf8')).trim()
  for (let from = 0; from < hexes.length; from += SENT_AT_ONCE) {
    const calls = hexes
      .slice(from, from + SENT_AT_ONCE)
      .map((hex, id) => ({ jsonrpc: '2.0', id, method: 'sendrawtransaction', params: [hex] }))
    const answer = await fetch(core.url, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(cookie).toString('base64')}` },
      body: JSON.stringify(calls),
    })
    const replies = (await answer.json()) as { error?: unknown }[]
    expect(replies.filter(({ error }) => error)).toEqual([])
  }
}

async function fill(): Promise<void> {
  const mine = async (count: number) => {
    const script = `raw(${SCRIPT.toString('hex')})`
    const { descriptor } = (await core.rpc('getdescriptorinfo', script)) as { descriptor: string }
    return (await core.rpc('generatetodescriptor', count, descriptor)) as string[]
  }
  const [first = ''] = await mine(101)
  const block = (await core.rpc('getblock', first)) as { tx: string[] }
  const outputs = CHAINS + 1
  const each = Math.floor((50e8 - 200_000) / outputs)
  const fan = pay(block.tx[0] ?? '', 0, Array<number>(outputs).fill(each))
  await sendAll([fan.hex])
  await mine(1)
  const hexes: string[] = []
  for (let chain = 0; chain < CHAINS; chain += 1) {
    let [txid, vout, sats] = [fan.txid, chain, each]
    for (let link = 0; link < CHAIN_LENGTH; link += 1) {
      sats -= FEE_SATS
      const transaction = pay(txid, vout, [sats])
      hexes.push(transaction.hex)
      ;[txid, vout] = [transaction.txid, 0]
    }
  }
  await sendAll(hexes)
  free = { txid: fan.txid, sats: each }
}

beforeAll(async () => {
  core = await prepareCore({ args: [] })
  await core.start()
  await fill()
  node = openBitcoind({
    url: core.url,
    credentials: { cookieFile: core.cookieFile },
    network: 'regtest',
    clock: systemClock,
  })
  store = await LmdbStore.open(directory.path)
  log = await EmbeddedLog.open({ store, partitions: PARTITIONS, clock: systemClock })
}, SLOW_MS)
afterAll(async () => {
  await node?.close()
  await store?.close()
  await core?.close()
  directory.drop()
})

async function* inbox(partition: number, signal: AbortSignal) {
  const from = await log.end(TOPICS.inbox, partition)
  for await (const batch of log.read(TOPICS.inbox, partition, from, signal)) {
    yield* batch.map(({ value }) => InboxRecord.parse(value))
  }
}

test(
  'with 20,000 transactions in its mempool watermarks continue, and a spend is seen within two polls',
  async () => {
    expect((await core.rpc('getmempoolinfo')) as object).toMatchObject({ size: WAITING })
    const stop = new AbortController()
    const marks: Pick<Watermark, 'epoch' | 'n'>[] = []
    let polls = 0
    const counted: Pick<Bitcoind, 'mempool'> = {
      mempool: () => {
        polls += 1
        return node.mempool()
      },
    }
    const running = ingest(
      {
        node: { ...node, ...counted },
        index: null,
        clock: systemClock,
        log,
        store: openIngestStore(store, log),
        onMetric: (metric) => {
          if (metric.kind === 'watermark') marks.push(metric)
        },
      },
      stop.signal,
    )
    try {
      await waitUntil('the first watermark', async () => marks.length > 0, PATIENCE_MS)
      const held = watchLoopDelay()
      const before = { marks: marks.length, polls }
      // Nothing changes for some polls: their bytes are compared.
      await waitUntil('some polls', async () => polls >= before.polls + 5, PATIENCE_MS)

      const outpoint = toOutpointText(`${free.txid}:${CHAINS}`)
      const news = inbox(partitionOf(outpoint, PARTITIONS), stop.signal)
      const seen = (async () => {
        for await (const record of news) {
          if (record.kind === 'spend' && record.outpoint === outpoint) return record
        }
        return null
      })()
      const sentAt = { polls, ms: performance.now() }
      await sendAll([pay(free.txid, CHAINS, [free.sats - FEE_SATS]).hex])
      expect(await seen).toMatchObject({ change: 'seen' })
      const tookMs = performance.now() - sentAt.ms
      // One may have been answered before the transaction arrived.
      expect(polls - sentAt.polls).toBeLessThanOrEqual(2)
      await waitUntil(
        'a watermark that covers it',
        async () => marks.length > before.marks,
        PATIENCE_MS,
      )
      const { maxMs, p99Ms } = held.read()
      console.info(
        `seen after ${tookMs.toFixed(0)} ms; event loop held ${maxMs.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms`,
      )
      expect(maxMs).toBeLessThan(MAX_HELD_MS)
    } finally {
      stop.abort()
      await running
    }
  },
  SLOW_MS,
)
