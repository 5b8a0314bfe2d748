import { Redis } from 'ioredis'
import { dice, orderOf } from '../../test/support/orders/order-book.ts'
import { answerOf, RedisBook } from './books.ts'

const BATCH = 1_600

/** The book in the views, and each answer's bytes for the peer; returns the ids. */
export async function fillOrders(url: string, count: number): Promise<string[]> {
  const book = await RedisBook.open(url)
  const peer = new Redis(url)
  const ids: string[] = []
  const roll = dice(1)
  for (let from = 0; from < count; from += BATCH) {
    const orders = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) =>
      orderOf(roll, from + at),
    )
    ids.push(...orders.map(({ id }) => id))
    await book.put(orders)
    await peer.mset(...orders.flatMap((order) => [`answer:${order.id}`, answerOf(order)]))
  }
  await book.close()
  peer.disconnect()
  return ids
}
