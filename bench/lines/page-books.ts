import { join } from 'node:path'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { dice, orderOf } from '../../test/support/orders/order-book.ts'
import type { RedisServer } from '../../test/support/services/redis.ts'
import { answerOf, EmbeddedBook, RedisBook } from './books.ts'
import type { PostgresServer } from './postgres.ts'
import { PostgresOrders } from './postgres-orders.ts'

const BATCH = 1_600

export interface PageStores {
  redis: RedisServer
  postgres: PostgresServer
  dataDir: string
}

/** The same orders in all of them; returns one that has an asset, a seller and a price. */
export async function fillPageBooks({
  redis,
  postgres,
  dataDir,
  orders: count,
}: PageStores & { orders: number }): Promise<OrderRecord> {
  const shared = await RedisBook.open(redis.url)
  const embedded = await EmbeddedBook.open(join(dataDir, 'store'))
  const table = await PostgresOrders.create(postgres.url)
  let some: OrderRecord | undefined
  const roll = dice(1)
  for (let from = 0; from < count; from += BATCH) {
    const length = Math.min(BATCH, count - from)
    const orders = Array.from({ length }, (_, at) => orderOf(roll, from + at))
    some ??= orders.find(isWhole)
    const answered = orders.map((order) => ({ order, answer: answerOf(order) }))
    await Promise.all([shared.put(orders), embedded.put(orders), table.put(answered)])
  }
  await Promise.all([shared.close(), embedded.close(), table.finish()])
  if (!some) throw new Error('no order of the book has an asset, a seller and a price')
  return some
}

/** Has it an asset, a seller and a price? */
export const isWhole = ({
  state,
  assets,
  sellerScriptHex,
  quotedPriceSats,
  outpoint,
}: OrderRecord) =>
  state === 'LIVE' &&
  sellerScriptHex !== undefined &&
  quotedPriceSats !== undefined &&
  assets.some((asset) => outpoint === `${asset.outpoint.txid}:${asset.outpoint.vout}`)
