import { setTimeout as sleep } from 'node:timers/promises'
import { Keyspace } from '../../src/adapters/redis/views/keyspace.ts'
import { RedisViews } from '../../src/adapters/redis/views/views.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { LiveLifecycle } from '../../test/support/log/live-lifecycle.ts'
import { RedisServer } from '../../test/support/services/redis.ts'
import { systemClock as clock } from '../../test/support/system-clock.ts'
import { compare, type Line } from '../harness/line.ts'
import type { Sample } from '../harness/results.ts'
import { PARTITIONS, withKafka } from '../market/with-kafka.ts'
import { liveOrders } from './books/live-orders.ts'
import {
  ended,
  forkPinned,
  OTHER_CORE,
  type PinnedProcess,
  SERVER_CORE,
} from './processes/pinned.ts'
import type { StreamFigures } from './processes/stream-readers.ts'

// This process plays actors and projector: it writes changes to the log in Kafka and projects them
// into Redis; a gateway on both sends them to its readers, each of whom follows one seller. The
// peer gets each event as bytes with its seller. BENCH_PROFILE: a folder for CPU profiles of both
// servers.

interface Sizes {
  readers: number
  sellers: number
  orders: number
  changesPerSecond: number
  seconds: number
}

const SIZES: Sizes = {
  readers: 10_000,
  sellers: 100,
  orders: 1_000,
  changesPerSecond: 100,
  seconds: 8,
}
const QUICK_SIZES: Sizes = { ...SIZES, readers: 500, orders: 200, seconds: 2 }
const ROUNDS = 2
/** For the last events of a round. */
const PATIENCE_MS = 20_000
const P99 = 'p99 from the change to its reader, ms'
const EVENTS = 'events/s'

export const line: Line = {
  number: 16,
  name: 'streams',
  work: 'changes sent to readers of streams, from the log in Kafka and the views in Redis, to those whose filter they pass',
  peer: 'bare Fastify, given each event as bytes, writing them to the same readers',
  run: ({ isQuick, rounds, progress }) =>
    withKafka(async (openLog) => {
      const sizes = isQuick ? QUICK_SIZES : SIZES
      const redis = await RedisServer.start({ appendonly: 'no' })
      const { broker, log } = await openLog('writer')
      const keyspace = await Keyspace.open({
        url: redis.url,
        network: 'regtest',
        partitions: PARTITIONS,
      })
      const lifecycle = new LiveLifecycle(log, await RedisViews.open({ keyspace, clock }))
      try {
        const orders = ordersOf(sizes)
        progress(`${orders.length} orders`)
        for (const order of orders) await lifecycle.write(order)
        const settings = {
          KAFKA_BROKERS: broker,
          KAFKA_PREFIX: log.prefix,
          MAX_STREAMS: String(sizes.readers),
          MAX_CONNECTIONS: String(sizes.readers + 100),
        }
        const server = (args: string[]) =>
          forkPinned({
            module: 'stream-server',
            core: SERVER_CORE,
            args,
            profile: process.env['BENCH_PROFILE'],
          })
        using ours = server(['gateway', redis.url, JSON.stringify(settings)])
        using peer = server(['peer'])
        using ourReaders = forkPinned({ module: 'stream-readers', core: OTHER_CORE })
        using peerReaders = forkPinned({ module: 'stream-readers', core: OTHER_CORE })
        progress(`${sizes.readers} readers of each side`)
        for (const [side, readers] of [
          [ours, ourReaders],
          [peer, peerReaders],
        ] as const)
          await readers.call('open', {
            port: await side.call<number>('listen'),
            readers: sizes.readers,
            sellers: sellersOf(sizes),
          })
        const write = async (order: OrderRecord, at: number) => {
          const state = Math.floor(at / orders.length) % 2 === 0 ? 'MEMPOOL_CONFLICTED' : 'LIVE'
          await lifecycle.write(order, { state, updatedAt: new Date().toISOString() })
        }
        let written = 0
        const change = async () => {
          const order = orders[written % orders.length]
          if (order) await write(order, written++)
        }
        const { frame } = await told(ours, ourReaders, { ...sizes, seconds: 1 }, change)
        const comparison = await compare(
          {
            name: '',
            sizes: sizesText(sizes),
            unit: 'µs of processor time an event',
            ratio: 'peer/ours',
            target: { atLeast: 0.7 },
            beside: {
              [P99]: { target: { atMost: 250 }, guard: null },
              [EVENTS]: { target: null, guard: null },
            },
            rounds: Math.min(rounds, ROUNDS),
          },
          async () => (await told(ours, ourReaders, sizes, change)).sample,
          async () => {
            let pushed = 0
            const sellers = sellersOf(sizes)
            const { sample } = await told(peer, peerReaders, sizes, async () => {
              const seller = sellers[pushed++ % sellers.length]
              const at = `"observedAt":"${new Date().toISOString()}"`
              await peer.call('push', { seller, frame: frame.replace(/"observedAt":"[^"]+"/, at) })
            })
            return sample
          },
        )
        await Promise.all([ours, peer].map(ended))
        return [comparison]
      } finally {
        await lifecycle.close()
        keyspace.close()
        await redis.stop()
      }
    }),
}

const sizesText = ({ readers, sellers, changesPerSecond }: Sizes): string =>
  `${readers} readers, each of one seller of ${sellers}; ${changesPerSecond} changes a second`

const sellersOf = ({ sellers }: Sizes): string[] =>
  Array.from({ length: sellers }, (_, at) => `0014${at.toString(16).padStart(40, '0')}`)

/** LIVE, of each seller in turn. */
function ordersOf(sizes: Sizes): OrderRecord[] {
  const sellers = sellersOf(sizes)
  return [...liveOrders(sizes.orders)].map((order, at) => ({
    ...order,
    sellerScriptHex: sellers[at % sellers.length] ?? '',
  }))
}

/** Changes at a steady rate, until all their readers have received them; fails if some have not. */
async function told(
  server: PinnedProcess,
  readers: PinnedProcess,
  { readers: count, sellers, changesPerSecond, seconds }: Sizes,
  change: () => Promise<void>,
): Promise<{ sample: Sample; frame: string }> {
  const changes = changesPerSecond * seconds
  await readers.call('begin')
  const before = await server.call<number>('cpu')
  const begun = performance.now()
  const writing: Promise<void>[] = []
  for (let at = 0; at < changes; at += 1) {
    await sleep(Math.max(0, begun + (at * 1_000) / changesPerSecond - performance.now()))
    writing.push(change())
  }
  await Promise.all(writing)
  const figures = await readers.call<StreamFigures>('figures', {
    events: (changes * count) / sellers,
    withinMs: PATIENCE_MS,
  })
  const cpuUs = ((await server.call<number>('cpu')) - before) / figures.events
  const beside = { [P99]: figures.p99Ms, [EVENTS]: figures.events / figures.seconds }
  return { sample: { figure: cpuUs, cpuUs, beside }, frame: figures.frame }
}
