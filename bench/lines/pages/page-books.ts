import { join } from 'node:path'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { RedisServer } from '../../../test/support/services/redis.ts'
import { answerOf, EmbeddedBook, isWhole, orderBatches, RedisBook } from '../books/books.ts'
import type { PostgresServer } from '../books/postgres.ts'
import { PostgresOrders } from '../books/postgres-orders.ts'

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
  for (const orders of orderBatches(count)) {
    some ??= orders.find(isWhole)
    const answered = orders.map((order) => ({ order, answer: answerOf(order) }))
    await Promise.all([shared.put(orders), embedded.put(orders), table.put(answered)])
  }
  await Promise.all([shared.close(), embedded.close(), table.finish()])
  if (!some) throw new Error('no order of the book has an asset, a seller and a price')
  return some
}
