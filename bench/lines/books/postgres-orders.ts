import { Client } from 'pg'
import { marketIds } from '../../../src/domain/catalog/catalog.ts'
import { facetsOf } from '../../../src/domain/listing/facets.ts'
import { searchedTexts, statesLeftOut } from '../../../src/domain/listing/filters.ts'
import { foldText, wordsOf } from '../../../src/domain/listing/listing.ts'
import type { OrderSort } from '../../../src/domain/listing/sorts.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { OrderState } from '../../../src/schemas/scalars.ts'

// Orders as a table, with the semantics of docs/design/listing.md and the indexes that suit them.

/** The parameters of `GET /orders` that the shapes of the bench use. */
export type ListRequest = Partial<Record<(typeof PARAMETERS)[number], string>> & {
  sort?: OrderSort
  limit?: string
  cursor?: string
}

/** SQL with a `?` for each value that follows. */
export type Condition = readonly [string, ...unknown[]]

/** Ascending, then by id: a row comparison resumes each of them from its index. */
export const SORT_COLUMNS: Record<OrderSort, string> = {
  newest: 'by_newest',
  oldest: 'by_oldest',
  price_asc: 'by_price_asc',
  price_desc: 'by_price_desc',
  token_asc: 'by_token',
  protocol_asc: 'by_protocol',
  validation_newest: 'by_validation',
}

/** Where an order has no value to sort by: after all others. */
const LAST_NUMBER = '9223372036854775807'
const LAST_TEXT = '\u{10FFFF}'
/**
 * Precedes each text that a search matches by prefix; not a letter or digit to pg_trgm, so a word
 * begins there.
 */
const BEFORE_TEXT = '\u001F'

const COLUMNS = {
  id: 'bytea PRIMARY KEY',
  state: 'text NOT NULL',
  safety: 'text NOT NULL',
  order_class: 'text NOT NULL',
  signature: 'text NOT NULL',
  side: 'text',
  sources: 'text[] NOT NULL',
  market: 'text',
  token: 'text',
  seller: 'text',
  is_hidden: 'boolean NOT NULL',
  inscriptions: 'text[] NOT NULL',
  asset_outpoints: 'text[] NOT NULL',
  by_newest: 'bigint NOT NULL',
  by_oldest: 'bigint NOT NULL',
  by_price_asc: 'bigint NOT NULL',
  by_price_desc: 'bigint NOT NULL',
  by_token: 'text NOT NULL',
  by_protocol: 'text NOT NULL',
  by_validation: 'bigint NOT NULL',
  search: 'text NOT NULL',
  answer: 'text NOT NULL',
} as const

type Row = Record<keyof typeof COLUMNS, unknown>

const INDEXES = [
  ...Object.values(SORT_COLUMNS).map((column) => `(${column}, id)`),
  // Frequent queries, in their frequent sorts.
  '(state, by_newest, id)',
  '(token, by_newest, id)',
  '(token, by_price_asc, id)',
  '(market, by_newest, id)',
  '(market, by_price_asc, id)',
  '(seller, by_newest, id)',
  'USING gin (inscriptions)',
  'USING gin (asset_outpoints)',
  'USING gin (search gin_trgm_ops)',
]

/** An order with the text of its answer. */
export interface AnsweredOrder {
  order: OrderRecord
  answer: string
}

/** The table, to be filled in batches and then indexed. */
export class PostgresOrders {
  readonly #client: Client

  static async create(url: string): Promise<PostgresOrders> {
    const client = new Client({ connectionString: url })
    // When something else fails, the server is stopped while this is connected.
    client.on('error', () => {})
    await client.connect()
    const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`)
    await client.query('CREATE EXTENSION pg_trgm')
    await client.query(`CREATE TABLE orders (${columns.join(', ')})`)
    // Outside the row, so that what is filtered stays small; stored as it is sent.
    await client.query('ALTER TABLE orders ALTER COLUMN answer SET STORAGE EXTERNAL')
    return new PostgresOrders(client)
  }

  private constructor(client: Client) {
    this.#client = client
  }

  async put(orders: readonly AnsweredOrder[]): Promise<void> {
    const names = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]
    const values: unknown[] = []
    const rows = orders.map((answered) => {
      const row = rowOf(answered)
      return `(${names.map((name) => `$${values.push(row[name])}`).join()})`
    })
    await this.#client.query(`INSERT INTO orders (${names.join()}) VALUES ${rows.join()}`, values)
  }

  async finish(): Promise<void> {
    for (const index of INDEXES) await this.#client.query(`CREATE INDEX ON orders ${index}`)
    await this.#client.query('VACUUM (ANALYZE) orders')
    await this.#client.end()
  }
}

function rowOf({ order, answer }: AnsweredOrder): Row {
  const facets = facetsOf(order)
  const { price, token, protocol, verifiedAt } = facets
  const createdMs = Date.parse(facets.createdAt)
  return {
    id: Buffer.from(facets.id, 'hex'),
    state: facets.state,
    safety: facets.safety,
    order_class: facets.orderClass,
    signature: facets.signature,
    side: facets.side,
    sources: facets.sources,
    market: facets.market,
    token,
    seller: facets.sellerScriptHex,
    is_hidden: facets.isHidden,
    inscriptions: facets.assets.map(({ inscriptionId }) => inscriptionId),
    asset_outpoints: facets.assets.map(({ outpoint }) => outpoint),
    by_newest: -createdMs,
    by_oldest: createdMs,
    by_price_asc: price ?? LAST_NUMBER,
    by_price_desc: price === null ? LAST_NUMBER : `-${price}`,
    by_token: token ?? LAST_TEXT,
    by_protocol: protocol ?? LAST_TEXT,
    by_validation: verifiedAt === null ? LAST_NUMBER : -Date.parse(verifiedAt),
    search: searchText(order),
    answer,
  }
}

/** Everything that a search matches by prefix. */
function searchText(order: OrderRecord): string {
  const facets = facetsOf(order)
  const texts = [
    ...searchedTexts(order, facets),
    ...(facets.token === null ? [] : wordsOf(facets.token)),
  ]
  return texts.map((text) => (text === null ? '' : `${BEFORE_TEXT}${text}`)).join('')
}

const PARAMETERS = [
  'protocols',
  'token',
  'source',
  'state',
  'states',
  'safety',
  'orderClass',
  'signature',
  'side',
  'seller',
  'assetInscriptionId',
  'assetOutpoint',
  'priceMin',
  'priceMax',
  'search',
  'includeWithdrawn',
] as const

const FILTERS: Record<(typeof PARAMETERS)[number], (given: string) => Condition | null> = {
  protocols: (ids) => ['market = ANY(?)', ids.split(',').flatMap((id) => marketIds(id))],
  token: (token) => ['token = ?', foldText(token)],
  source: (source) => ['? = ANY(sources)', source],
  state: (state) => ['state = ?', state],
  states: (states) => ['state = ANY(?)', states.split(',')],
  safety: (safety) => ['safety = ?', safety],
  orderClass: (orderClass) => ['order_class = ?', orderClass],
  signature: (signature) => ['signature = ?', signature],
  side: (side) => ['side = ?', side],
  seller: (script) => ['seller = ?', script],
  // Found first: the planner expects thousands, for which it would walk the whole index of the sort.
  assetInscriptionId: (id) => [
    'id = ANY(ARRAY(SELECT id FROM orders WHERE inscriptions @> ARRAY[?]))',
    id,
  ],
  assetOutpoint: (outpoint) => ['asset_outpoints @> ARRAY[?]', outpoint],
  priceMin: (sats) => [`by_price_asc >= ? AND by_price_asc < ${LAST_NUMBER}`, sats],
  priceMax: (sats) => ['by_price_asc <= ?', sats],
  search: (text) => ['search LIKE ?', `%${BEFORE_TEXT}${literal(foldText(text))}%`],
  includeWithdrawn: () => null,
}

/** The filters of a request, combined with AND. */
export function conditionsOf(request: ListRequest): Condition[] {
  const leftOut = statesLeftOut({
    includeWithdrawn: request.includeWithdrawn === 'true',
    state: request.state as OrderState,
    states: request.states?.split(',') as OrderState[],
  })
  const conditions: Condition[] = [['NOT is_hidden']]
  for (const state of leftOut) conditions.push([`state <> '${state}'`])
  for (const name of PARAMETERS) {
    const given = request[name]
    const condition = given === undefined ? null : FILTERS[name](given)
    if (condition) conditions.push(condition)
  }
  return conditions
}

/** Escapes a pattern's wildcards. */
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
