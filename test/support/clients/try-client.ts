import { createMarketClient, NotFoundError } from '../../../clients/typescript/src/index.ts'

/** What a program with the client saw at a service. */
export interface Tried {
  listed: string[]
  snapshot: number
  imported: string
  /** The change that the stream reported for the imported order. */
  streamed: string
  error: string
  missing: number
}

/**
 * Lists, follows, imports and fails: the same in each runtime that the client is made for.
 *
 * @param psbt of an order that the service does not have yet
 */
export async function tryClient(baseUrl: string, psbt: string): Promise<Tried> {
  const market = createMarketClient({ baseUrl })
  const listed: string[] = []
  for await (const { id } of market.orders({ pageSize: 1 })) listed.push(id)
  const stop = new AbortController()
  const items = market.follow({}, { signal: stop.signal })[Symbol.asyncIterator]()
  const next = async () => (await items.next()).value
  const begun = await next()
  const { id } = await market.post('/api/market/orders/import', { body: { psbt } })
  let change = await next()
  while (change?.type !== 'change' || change.data.order?.state !== 'LIVE') change = await next()
  await items.return?.(undefined)
  const missing = await market
    .get('/api/market/orders/{id}', { path: { id: '0'.repeat(64) } })
    .catch((error: unknown) => error)
  if (!(missing instanceof NotFoundError)) throw missing
  return {
    listed,
    snapshot: begun?.type === 'snapshot' ? begun.data.total : -1,
    imported: id,
    streamed: change.data.orderId,
    error: `${missing.name} ${missing.code}`,
    missing: missing.requestId?.length ?? 0,
  }
}
