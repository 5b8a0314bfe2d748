import { setTimeout as sleep } from 'node:timers/promises'
import type { Devnet } from '../../src/devnet/devnet.ts'
import type { OrderPage } from '../../src/schemas/order.ts'
import { burstOf, fundBook, importOf } from '../../test/support/orders/big-book.ts'
import type { Market } from './market.ts'

/**
 * Records of one append, and orders that may await verification while more are sent: a question that
 * finds 512 others waiting is put again seconds later.
 */
const APPENDED = 250
const AHEAD = 500
const TOLD_EVERY = 10_000
const TRANSACTIONS = 10

/** A service in a process of its own, on the devnet of this one. */
export interface LiveBook {
  devnet: Devnet
  market: Market
}

const live = async (market: Market): Promise<number> =>
  (await market.get<OrderPage>('orders?state=LIVE&limit=1')).total

/** Imports this many real orders, each with an output of its own, until all are LIVE. */
export async function importOrders(
  { devnet, market }: LiveBook,
  count: number,
  progress: (what: string) => void,
): Promise<void> {
  const before = await live(market)
  const coins = fundBook(devnet, count)
  for (let at = 0; at < count; at += APPENDED) {
    const records = coins
      .slice(at, at + APPENDED)
      .map((coin, n) => importOf(coin, at + n, market.partitions))
    await market.append(records)
    while (before + at - (await live(market)) > AHEAD) await sleep(50)
    if (at % TOLD_EVERY === 0) progress(`imported ${at} of ${count}`)
  }
  while ((await live(market)) < before + count) await sleep(100)
}

/** A block, and some transactions before it that concern no order. */
export async function passTime({ devnet }: Pick<LiveBook, 'devnet'>, ms: number): Promise<void> {
  for (const hex of burstOf(devnet, TRANSACTIONS)) {
    await sleep(ms / TRANSACTIONS)
    devnet.submit(hex)
  }
  devnet.mine(1)
}
