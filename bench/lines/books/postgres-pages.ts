import Fastify, { type FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { Pool } from 'pg'
import type { OrderSort } from '../../../src/domain/listing/sorts.ts'
import { type Condition, conditionsOf, type ListRequest, SORT_COLUMNS } from './postgres-orders.ts'

// `GET /orders` as a bare Fastify over PostgreSQL would serve it: each sort has an index that a
// cursor resumes, answers are stored as they are sent, and totals are counted next to the page and
// cached as long as ours may be.

const TOTAL_CACHED_MS = 5_000
const MAX_TOTALS = 10_000
const CONNECTIONS = 8

interface Row {
  answer: string
  key: string
  id: Buffer
}

interface Position {
  key: string
  id: string
}

export function pagesOfPostgres(url: string): FastifyInstance {
  const pool = new Pool({ connectionString: url, max: CONNECTIONS })
  const totals = new LRUCache<string, Promise<string>>({ max: MAX_TOTALS, ttl: TOTAL_CACHED_MS })
  const names = new Map<string, string>()
  /** Parsed once on each connection. */
  const ask = <R extends object>(text: string, values: readonly unknown[]) => {
    const name = names.get(text) ?? `q${names.size}`
    names.set(text, name)
    return pool.query<R>({ name, text, values: [...values] })
  }
  const totalOf = (where: Where): Promise<string> => {
    const key = JSON.stringify([where.sql, where.values])
    const known = totals.get(key)
    if (known) return known
    const text = `SELECT count(*) AS total FROM orders WHERE ${where.sql}`
    const counted = ask<{ total: string }>(text, where.values).then(
      ({ rows }) => rows[0]?.total ?? '0',
    )
    totals.set(key, counted)
    return counted
  }
  const app = Fastify()
  app.get<{ Querystring: ListRequest }>('/api/market/orders', async ({ query }, reply) => {
    const { sort = 'newest', limit = '50', cursor } = query
    const where = whereOf(conditionsOf(query))
    const [total, { rows }] = await Promise.all([
      totalOf(where),
      ask<Row>(...pageQuery(where, sort, Number(limit), cursor)),
    ])
    reply.header('content-type', 'application/json; charset=utf-8')
    return bodyOf(rows, total, Number(limit))
  })
  return app
}

interface Where {
  sql: string
  values: readonly unknown[]
}

/** Joined with AND; `?` in a condition is replaced by its value. */
function whereOf(conditions: readonly Condition[]): Where {
  const values: unknown[] = []
  const texts = conditions.map(([text, ...given]) => {
    const parts = text.split('?')
    return parts.reduce((sql, part, at) => {
      values.push(given[at - 1])
      return `${sql}$${values.length}${part}`
    })
  })
  return { sql: texts.join(' AND '), values }
}

function pageQuery(
  { sql, values }: Where,
  sort: OrderSort,
  limit: number,
  cursor: string | undefined,
): [string, unknown[]] {
  const column = SORT_COLUMNS[sort]
  const given = [...values]
  const bind = (value: unknown) => `$${given.push(value)}`
  let after = ''
  if (cursor !== undefined) {
    const { key, id } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Position
    after = ` AND (${column}, id) > (${bind(key)}, ${bind(Buffer.from(id, 'hex'))})`
  }
  // One more row shows whether there is a next page.
  const text =
    `SELECT answer, ${column} AS key, id FROM orders WHERE ${sql}${after}` +
    ` ORDER BY ${column}, id LIMIT ${bind(limit + 1)}`
  return [text, given]
}

function bodyOf(rows: readonly Row[], total: string, limit: number): string {
  const shown = rows.slice(0, limit)
  const hasMore = rows.length > limit
  const last = shown.at(-1)
  const nextCursor = hasMore && last ? cursorAt(last) : ''
  const rest = JSON.stringify({ total: Number(total), limit, nextCursor, hasMore })
  return `{"orders":[${shown.map(({ answer }) => answer).join()}],${rest.slice(1)}`
}

function cursorAt({ key, id }: Row): string {
  const position: Position = { key, id: id.toString('hex') }
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}
