import { ORDER_SORTS } from '../src/domain/listing/sorts.ts'
import type { OrderQuery, SortPosition } from '../src/ports/views/order-views.ts'
import type { OrderRecord } from '../src/schemas/order-record.ts'
import { dice, orderOf } from '../test/support/orders/order-book.ts'

/** Orders of the book: BENCH_ORDERS. */
export const ORDERS = Number(process.env['BENCH_ORDERS'] ?? 100_000)

/** What a query took, milliseconds a page. */
export interface Figures {
  label: string
  total: number
  samples: number[]
}

/** The same orders at each call. */
export function* book(): Generator<OrderRecord> {
  const roll = dice(1)
  for (let index = 0; index < ORDERS; index += 1) yield orderOf(roll, index)
}

/** Every sort, and every filter by one of them. */
export function queries(some: OrderRecord): [string, Omit<OrderQuery, 'limit' | 'after'>][] {
  const base = { includeWithdrawn: false, sort: 'newest' } as const
  const asset = some.assets[0]
  const filters: Record<string, Partial<OrderQuery>> = {
    state: { state: 'LIVE' },
    'state, few': { state: 'SETTLED' },
    withdrawn: { state: 'WITHDRAWN', includeWithdrawn: true },
    token: { token: 'oRdI' },
    'two protocols': { protocols: ['bitcoin-brc20', 'bitcoin-runes'] },
    source: { source: 'portable-nostr802' },
    safety: { safety: 'PUBLIC_RACEABLE' },
    orderClass: { orderClass: 'BID_FULLY_FUNDED' },
    signature: { signature: 'VALID' },
    side: { side: 'BID' },
    seller: { sellerScriptHex: some.sellerScriptHex ?? '' },
    assetInscriptionId: { assetInscriptionId: asset?.inscriptionId ?? '' },
    assetOutpoint: { assetOutpoint: some.outpoint },
    'search id': { search: some.id.slice(0, 12) },
    'search a': { search: 'a' },
    'search number': { search: '12' },
    'search word': { search: 'punk' },
    'search address': { search: 'bcrt1qa' },
    'state, token, source': { state: 'LIVE', token: 'ORDI', source: 'direct-import' },
    'state, protocol, search': {
      state: 'LIVE',
      protocols: ['bitcoin-runes'],
      search: 'punk',
      sort: 'price_asc',
    },
  }
  return [
    ...ORDER_SORTS.map((sort): [string, typeof base] => [sort, { ...base, sort } as typeof base]),
    ...Object.entries(filters).map(([label, filter]): [string, OrderQuery] => [
      `${label} by ${filter.sort ?? base.sort}`,
      { ...base, ...filter, limit: 50 },
    ]),
  ]
}

type Page = { total: number; next: SortPosition | null }

/** Pages of each query, walked by cursor. */
export async function time(
  list: ReturnType<typeof queries>,
  pages: number,
  read: (query: OrderQuery) => Promise<Page>,
): Promise<Figures[]> {
  const figures: Figures[] = []
  for (const [label, query] of list) {
    const samples: number[] = []
    let after: SortPosition | null = null
    let total = 0
    for (let page = 0; page < pages; page += 1) {
      const start = performance.now()
      const answer: Page = await read({ ...query, limit: 50, ...(after ? { after } : {}) })
      samples.push(performance.now() - start)
      after = answer.next
      total = answer.total
    }
    figures.push({ label, total, samples })
  }
  return figures
}
