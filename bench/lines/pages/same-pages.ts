import { isDeepStrictEqual } from 'node:util'
import type { OrderPage } from '../../../src/schemas/order.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { PageServer } from './page-servers.ts'
import {
  DEEP_SHAPES,
  NEW_LIST_SHAPES,
  type PageShape,
  pageShapes,
  parametersOf,
} from './page-shapes.ts'

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

/**
 * The first pages of lists that none of the servers was asked for before: `pages` of each shape,
 * from the same lists on all of them. The first list of a shape shows that their answers are the same.
 */
export class NewLists {
  readonly #pages: number
  readonly #servers: readonly PageServer[]
  /** Of the next list, by server. */
  readonly #next = new Map<string, number>()

  static async open(pages: number, servers: readonly PageServer[]): Promise<NewLists> {
    const lists = new NewLists(pages, servers)
    for (const { label } of NEW_LIST_SHAPES) await lists.#compare(label)
    return lists
  }

  private constructor(pages: number, servers: readonly PageServer[]) {
    this.#pages = pages
    this.#servers = servers
  }

  async #compare(label: string): Promise<void> {
    const answers = await Promise.all(
      this.#servers.map(async (server) => {
        const { orders, total } = await pageOf(server, this.#path(server, label))
        return { ids: orders.map(({ id }) => id), total }
      }),
    )
    for (const [at, answer] of answers.entries()) {
      if (!isDeepStrictEqual(answer, answers[0]))
        throw new Error(`${label}: ${this.#servers[at]?.name} answers differently`)
    }
  }

  /** No two calls have a path in common. */
  pathsOf(server: PageServer, label: string): string[] {
    return Array.from({ length: this.#pages }, () => this.#path(server, label))
  }

  #path(server: PageServer, label: string): string {
    const shape = NEW_LIST_SHAPES.find((each) => each.label === label)
    if (!shape) throw new Error(`no shape ${label}`)
    const key = `${server.port} ${label}`
    const n = this.#next.get(key) ?? 0
    this.#next.set(key, n + 1)
    return pathOf({ label, query: shape.listAt(n) }, LIMIT, '')
  }
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
