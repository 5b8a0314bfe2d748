import { Redis } from 'ioredis'
import { answerOf, orderBatches, RedisBook } from './books.ts'

/** The book in the views, and each answer's bytes for the peer; returns the ids. */
export async function fillOrders(url: string, count: number): Promise<string[]> {
  const book = await RedisBook.open(url)
  const peer = new Redis(url)
  const ids: string[] = []
  for (const orders of orderBatches(count)) {
    ids.push(...orders.map(({ id }) => id))
    await book.put(orders)
    await peer.mset(...orders.flatMap((order) => [`answer:${order.id}`, answerOf(order)]))
  }
  await book.close()
  peer.disconnect()
  return ids
}
