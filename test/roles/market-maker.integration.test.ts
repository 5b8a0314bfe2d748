import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BatchLine } from '../../src/schemas/api/batch.ts'
import type { OrderPage } from '../../src/schemas/order.ts'
import type { Outpoint } from '../../src/schemas/scalars.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { metricOf } from '../support/http/metric.ts'
import { toTxid } from '../support/ids.ts'
import { neededFor, PAYER, signedAsk, splitOf } from '../support/orders/big-book.ts'
import { freePort } from '../support/services/programs.ts'
import { ServiceProcess } from '../support/services/service-process.ts'

// A market maker with one key lists a book of one seller at a service as an operator starts it, with its
// defaults. MAKER_ASKS=10000 prints the figures of docs/performance.md.

const ASKS = Number(process.env['MAKER_ASKS'] ?? 1_000)
const SHOWS_FIGURES = process.env['MAKER_ASKS'] !== undefined
const LINES = 250
/** Batches of one key that may be in progress. */
const AT_ONCE = 4
/** Outputs of a transaction that node and devnet take. */
const OUTPUTS = 2_000
/** The one whose script pays for the outputs. */
const SELLER = 0
const TOKEN = 'f2b1c0de'.repeat(8)

const directory = temporaryDirectory()
let bundle: Bundle
let service: ServiceProcess
let address: string
let metricsAddress: string

beforeAll(async () => {
  bundle = await bundleService()
  const metricsPort = await freePort()
  metricsAddress = `http://127.0.0.1:${metricsPort}`
  service = new ServiceProcess(bundle, ['start'], {
    DATA_DIR: directory.path,
    PORT: '0',
    METRICS_PORT: String(metricsPort),
    LOG_LEVEL: 'warn',
    OPERATOR_TOKENS: `bob:${createHash('sha256').update(TOKEN).digest('hex')}`,
  })
  address = await service.ready()
}, 120_000)
afterAll(async () => {
  await service?.end('SIGKILL')
  bundle?.drop()
  directory.drop()
})

async function post<T>(path: string, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  expect(answer.status, path).toBe(201)
  return (await answer.json()) as T
}

/** Confirmed outputs of the seller. */
async function fundCoins(count: number): Promise<Outpoint[]> {
  const coins: Outpoint[] = []
  while (coins.length < count) {
    const outputs = Math.min(OUTPUTS, count - coins.length)
    const sats = neededFor(outputs).toString()
    const { outpoint } = await post<{ outpoint: Outpoint }>('/devnet/fund', {
      address: PAYER,
      sats,
    })
    const hex = splitOf(outpoint, outputs, () => SELLER).toHex()
    const { txid } = await post<{ txid: string }>('/devnet/send', { hex })
    for (let vout = 0; vout < outputs; vout += 1) coins.push({ txid: toTxid(txid), vout })
    await post('/devnet/mine', { blocks: 1 })
  }
  return coins
}

const metric = async (series: string) => (await metricOf(metricsAddress, series)) ?? 0
const processorSeconds = () => metric('process_cpu_seconds_total')

async function importBatch(key: string, lines: readonly string[]): Promise<BatchLine[]> {
  const answer = await fetch(`${address}/api/market/orders/import/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  })
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  return text
    .trimEnd()
    .split('\n')
    .map((line) => BatchLine.parse(JSON.parse(line)))
}

test('asks of as many outputs are taken with one key, none is refused by a limit, and each is LIVE', async () => {
  const coins = await fundCoins(ASKS)
  const own = { authorization: `Bearer ${TOKEN}` }
  const made = { name: 'maker', tier: 'maker' }
  const { key } = await post<{ key: string }>('/api/market/admin/keys', made, own)
  const lines = coins.map((outpoint, at) =>
    JSON.stringify({ psbt: signedAsk({ outpoint, seller: SELLER }, BigInt(20_000 + at)) }),
  )
  const batches: string[][] = []
  while (lines.length > 0) batches.push(lines.splice(0, LINES))

  const before = await processorSeconds()
  const begun = performance.now()
  const answers: BatchLine[] = []
  const work = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop())
      answers.push(...(await importBatch(key, batch)))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const seconds = (performance.now() - begun) / 1_000

  const refused = answers.filter(({ status }) => status !== 201)
  expect(refused.slice(0, 3)).toEqual([])
  expect(new Set(answers.map(({ body }) => 'id' in body && body.id)).size).toBe(ASKS)
  await expect
    .poll(async () => {
      const page = await fetch(`${address}/api/market/orders?state=LIVE&seller=${PAYER}&limit=1`)
      return ((await page.json()) as OrderPage).total
    })
    .toBe(ASKS)
  if (!SHOWS_FIGURES) return
  const usedMs = ((await processorSeconds()) - before) * 1_000
  const stored = await metric('market_customer_stored_bytes_total{tier="maker"}')
  process.stdout.write(
    `${ASKS} asks in ${seconds.toFixed(0)} s: ${(ASKS / seconds).toFixed(0)} a second, ` +
      `${(usedMs / ASKS).toFixed(1)} ms of processor time and ${(stored / ASKS).toFixed(0)} bytes each\n`,
  )
}, 600_000)
