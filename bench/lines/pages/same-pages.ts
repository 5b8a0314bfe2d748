import { isDeepStrictEqual } from 'node:util'
import type { OrderPage } from '../../../src/schemas/order.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { PageServer } from './page-servers.ts'
import { DEEP_SHAPES, type PageShape, pageShapes, parametersOf } from './page-shapes.ts'

const LIMIT = 50
/** Pages of this size lead to a deep cursor. */
const LARGEST = 200
/** Position of a deep cursor, unless the book is smaller than twice that. */
const DEEP = 20_000

/** The pages of a shape, by server, since each has its own cursors. */
export interface ShapePaths {
  label: string
  pathsOf: ReadonlyMap<PageServer, readonly string[]>
}

/**
 * Walks every shape on all servers; throws where one answers with other orders or another total.
 */
export async function shapePaths(
  some: OrderRecord,
  orders: number,
  pages: number,
  servers: readonly PageServer[],
): Promise<ShapePaths[]> {
  const shapes: ShapePaths[] = []
  const skipped = Math.min(DEEP, orders / 4)
  for (const shape of pageShapes(some))
    shapes.push(await walked(shape, servers, { pages, skipped: 0 }))
  for (const shape of DEEP_SHAPES) shapes.push(await walked(shape, servers, { pages, skipped }))
  return shapes
}

async function walked(
  shape: PageShape,
  servers: readonly PageServer[],
  { pages, skipped }: { pages: number; skipped: number },
): Promise<ShapePaths> {
  const walks = await Promise.all(
    servers.map(async (server) => {
      const begun = await deepCursor(server, shape, skipped)
      return { server, ...(await walk(server, shape, begun, pages)) }
    }),
  )
  const [first] = walks
  for (const { server, answers } of walks) {
    if (!isDeepStrictEqual(answers, first?.answers))
      throw new Error(
        `${shape.label}: ${server.name} answers differently from ${first?.server.name}`,
      )
  }
  // A shape of few pages is read from its beginning again.
  const again = (paths: readonly string[]) =>
    Array.from({ length: pages }, (_, at) => paths[at % paths.length] ?? '')
  return {
    label: shape.label,
    pathsOf: new Map(walks.map(({ server, paths }) => [server, again(paths)])),
  }
}

async function walk(server: PageServer, shape: PageShape, begun: string, pages: number) {
  const paths: string[] = []
  const answers: { ids: string[]; total: number }[] = []
  let cursor: string | null = begun
  while (cursor !== null && paths.length < pages) {
    const path = pathOf(shape, LIMIT, cursor)
    const { orders, total, nextCursor } = await pageOf(server, path)
    paths.push(path)
    answers.push({ ids: orders.map(({ id }) => id), total })
    cursor = nextCursor === '' ? null : nextCursor
  }
  return { paths, answers }
}

async function deepCursor(server: PageServer, shape: PageShape, skipped: number): Promise<string> {
  let cursor = ''
  for (let at = 0; at < skipped; at += LARGEST)
    cursor = (await pageOf(server, pathOf(shape, LARGEST, cursor))).nextCursor
  return cursor
}

function pathOf(shape: PageShape, limit: number, cursor: string): string {
  const parameters = parametersOf(shape)
  parameters.set('limit', String(limit))
  if (cursor !== '') parameters.set('cursor', cursor)
  return `/api/market/orders?${parameters}`
}

async function pageOf({ name, port }: PageServer, path: string): Promise<OrderPage> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`)
  if (!answer.ok) throw new Error(`${name}, ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as OrderPage
}
