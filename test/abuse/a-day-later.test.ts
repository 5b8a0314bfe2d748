import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { AbusedService } from '../support/abuse/abused-service.ts'
import { asksOfNothing, forgedAsks, junkBids } from '../support/abuse/junk.ts'
import {
  keptInKafka,
  keptInLmdb,
  keptInMemory,
  keptInRedis,
  placesOf,
} from '../support/abuse/stored-text.ts'
import { type Bundle, bundleService } from '../support/bundle.ts'
import { askFor, fundSellers, type SellerCoin } from '../support/chain/seller-coins.ts'
import { openWallet } from '../support/chain/wallet.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openApiClient } from '../support/market/api-client.ts'
import { QUICK_GROUPS } from '../support/services/kafka.ts'
import { waitUntil } from '../support/services/programs.ts'
import type { ServiceProcess } from '../support/services/service-process.ts'

// What proved nothing is gone from every store, and from memory, when a day has passed. The clock
// of the service is moved, not that of this machine.

const PRELOAD = new URL('../support/abuse/shifted-clock.mjs', import.meta.url).href
const DAY_MS = 24 * 3_600_000
/** Two kinds are at the victim's output, whose pool holds 16. */
const JUNK_OF_A_KIND = 8
/** What a broker accepts from a clock that is ahead of its own. */
const BROKER = {
  'log.message.timestamp.after.max.ms': String(7 * DAY_MS),
  ...QUICK_GROUPS,
}
const MARK = 'UNPROVEDWORDS'
const MEMORY_MS = 180_000
/** An idle connection to ClickHouse keeps its last question for the 2 s that it is open. */
const CLOSED_MS = 5_000

const directory = temporaryDirectory()
const clockFile = join(directory.path, 'clock')
let bundle: Bundle
let service: AbusedService
let coins: SellerCoin[]

const heapFile = join(directory.path, 'memory.heapsnapshot')
const shift = (ms: number) => writeFileSync(clockFile, String(ms))

beforeAll(async () => {
  shift(0)
  bundle = await bundleService()
  service = await AbusedService.open({
    program: bundle,
    broker: BROKER,
    variables: {
      NODE_OPTIONS: `--import=${PRELOAD}`,
      CLOCK_SHIFT_FILE: clockFile,
      HEAP_FILE: heapFile,
      RATE_LIMIT_IMPORT: '10000',
    },
  })
  const miner = await openWallet(service.chain, 2)
  coins = await fundSellers(service.chain, miner, 4)
})
afterAll(async () => {
  await service?.close()
  bundle?.drop()
  directory.drop()
})

/**
 * Junk of every kind that is stored, by the texts that identify it: ids and digests of orders,
 * words, sources.
 */
async function sendJunk(address: string): Promise<string[]> {
  const api = openApiClient(address)
  const [victim] = coins
  if (!victim) throw new Error('no coin for the victim')
  const kinds = [
    forgedAsks(victim),
    asksOfNothing(),
    asksOfNothing(2_000),
    junkBids(victim.outpoint, victim.output.valueSats),
  ]
  const texts = [MARK]
  for (const kind of kinds) {
    for (let n = 0; n < JUNK_OF_A_KIND; n += 1) {
      const body = { psbt: kind.make(n), token: `${MARK} ${n}`, sourceId: `${MARK}-${n}` }
      const answer = await api.post('orders/import', body)
      const order = answer.body as OrderSummary
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      texts.push(order.id, order.inspection.digest)
    }
  }
  return texts
}

/** A seller tries again when a service that has just started on a busy machine puts off an import. */
async function list(address: string, coin: SellerCoin | undefined): Promise<OrderSummary> {
  if (!coin) throw new Error('no coin for a seller')
  const api = openApiClient(address)
  let answer = await api.post('orders/import', { psbt: askFor(coin) })
  for (let tries = 5; tries > 0 && answer.status >= 500; tries -= 1) {
    await delay(2_000)
    answer = await api.post('orders/import', { psbt: askFor(coin) })
  }
  const order = answer.body as OrderSummary
  expect(order.state, JSON.stringify(answer)).toBe('LIVE')
  return order
}

/** A day and an hour pass, and then what runs each second runs for a while. */
async function aDayPasses(address: string, texts: readonly string[]): Promise<void> {
  const api = openApiClient(address)
  const [, id] = texts
  expect((await api.get(`orders/${id}`)).status).toBe(200)
  shift(DAY_MS + 3_600_000)
  await waitUntil('the pool is swept', async () => (await api.get(`orders/${id}`)).status === 404)
  // It removes a bounded number a second.
  await delay(3_000)
}

/** Some of many: memory takes long to search. */
const sampleOf = (texts: readonly string[]): string[] => texts.filter((_, at) => at % 8 === 0)

/** Makes a process write a heap snapshot: V8 collects garbage before that. */
async function writeMemory({ pid }: ServiceProcess): Promise<void> {
  rmSync(heapFile, { force: true })
  process.kill(pid, 'SIGUSR2')
  let size = -1
  const isWhole = async () => {
    await delay(1_000)
    const before = size
    size = statSync(heapFile, { throwIfNoEntry: false })?.size ?? -1
    return size > 0 && size === before
  }
  await waitUntil('the memory is written', isWhole, MEMORY_MS)
}

describe('a day later nothing of the unproved is left', () => {
  test('in Kafka, Redis, ClickHouse, and the memory of the service', async () => {
    await service.start()
    const { address, kafka, redis } = service
    const honest = await list(address, coins[1])
    const junk = await sendJunk(address)
    const search = async () => ({
      kafka: await placesOf(junk, keptInKafka(kafka.broker, 4)),
      redis: await placesOf(junk, keptInRedis(redis.admin)),
    })
    // The search finds what is there.
    const before = await search()
    expect(before.redis.length).toBeGreaterThan(junk.length / 2)
    expect(before.kafka).toEqual([])
    expect(await placesOf([honest.id], keptInKafka(kafka.broker, 4))).not.toEqual([])

    await aDayPasses(address, junk)
    expect(await search()).toEqual({ kafka: [], redis: [] })
    const live = await openApiClient(address).orderUntil(honest.id, ({ state }) => state === 'LIVE')
    expect(live.state).toBe('LIVE')
    for (const id of junk.filter((text) => text.length === 64)) {
      const { body } = await openApiClient(address).get(`activity?orderId=${id}`)
      expect(body).toMatchObject({ entries: [] })
    }
    // Last, because the process stands still meanwhile, and loses its partitions at the broker.
    await delay(CLOSED_MS)
    await writeMemory(service.process)
    expect(await placesOf([honest.id], keptInMemory(heapFile))).toEqual(['memory'])
    expect(await placesOf(sampleOf(junk), keptInMemory(heapFile))).toEqual([])
  })

  test('in the LMDB of a service that stands alone', async () => {
    shift(0)
    const { process, address, dataDir } = await service.startAlone()
    const honest = await list(address, coins[2])
    const junk = await sendJunk(address)
    await aDayPasses(address, junk)
    await writeMemory(process)
    await process.end()
    const store = join(dataDir, 'store')
    expect(await placesOf([honest.id], keptInLmdb(store))).not.toEqual([])
    expect(await placesOf(junk, keptInLmdb(store))).toEqual([])
    expect(await placesOf([honest.id], keptInMemory(heapFile))).toEqual(['memory'])
    expect(await placesOf(sampleOf(junk), keptInMemory(heapFile))).toEqual([])
  })
})
