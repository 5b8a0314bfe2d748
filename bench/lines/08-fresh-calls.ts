import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDevnet } from '../../src/devnet/devnet.ts'
import type { OrderPage } from '../../src/schemas/order.ts'
import { systemClock } from '../../test/support/system-clock.ts'
import { compare, type Line } from '../harness/line.ts'
import type { Sample } from '../harness/results.ts'
import { importOrders, passTime } from '../market/live-book.ts'
import { type Market, startMarket } from '../market/market.ts'

const ORDERS = 100_000
const QUICK_ORDERS = 2_000
const PERIOD_S = 600
const WATCHED_S = 60
const QUICK_WATCHED_S = 20
/** Within the limit of one client. */
const ASKED = 20
/** More than an idle service asks. */
const QUIET_A_SECOND = 15

export const line: Line = {
  number: 8,
  name: 'fresh-calls',
  work: 'requests to node and index that keep all orders fresh, with a block a minute and the sweep of all orders once a day',
  peer: 'asking about each order every 600 s, as POST /orders/{id}/revalidate does',
  run: async ({ isQuick, progress }) => {
    const orders = isQuick ? QUICK_ORDERS : ORDERS
    const watchedS = isQuick ? QUICK_WATCHED_S : WATCHED_S
    const dataDir = mkdtempSync(join(tmpdir(), 'market-bench-'))
    const devnet = openDevnet({ dataDir: null, clock: systemClock, network: 'regtest' })
    const market = await startMarket({ node: devnet.node, index: devnet.index }, dataDir)
    try {
      await importOrders({ devnet, market }, orders, progress)
      progress('waiting until it is quiet')
      await untilQuiet(market)
      progress(`watching it for ${watchedS} s`)
      return [
        await compare(
          {
            name: '',
            sizes: `${orders} LIVE orders`,
            unit: `requests in ${PERIOD_S} s`,
            ratio: 'ours/peer',
            target: { atMost: 1 / 100 },
            rounds: 1,
            warmUp: 0,
          },
          async () => {
            const before = market.requests()
            await passTime({ devnet }, watchedS * 1_000)
            return sampleOf(((market.requests() - before) * PERIOD_S) / watchedS)
          },
          async () => sampleOf((await requestsOfOne(market)) * orders),
        ),
      ]
    } finally {
      await market.stop()
      await devnet.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
}

const sampleOf = (figure: number): Sample => ({ figure, cpuUs: null })

/**
 * An order that was decided on a block before ingest reported the block is asked about once more.
 */
async function untilQuiet(market: Market): Promise<void> {
  for (let before = -Infinity; market.requests() - before >= QUIET_A_SECOND; ) {
    before = market.requests()
    await sleep(1_000)
  }
}

/** Mean of a few orders. */
async function requestsOfOne(market: Market): Promise<number> {
  const { orders } = await market.get<OrderPage>(`orders?state=LIVE&limit=${ASKED}`)
  const before = market.requests()
  for (const { id } of orders) {
    const answer = await fetch(`${market.api}/orders/${id}/revalidate`, { method: 'POST' })
    if (!answer.ok) throw new Error(`revalidate: ${answer.status} ${await answer.text()}`)
  }
  return (market.requests() - before) / orders.length
}
