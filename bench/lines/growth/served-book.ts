import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { RedisServer } from '../../../test/support/services/redis.ts'
import type { Sample } from '../../harness/results.ts'
import { EmbeddedBook, isWhole, orderBatches, RedisBook } from '../books/books.ts'
import { pageSample } from '../pages/page-figures.ts'
import type { PageServer } from '../pages/page-servers.ts'
import { NEW_LIST_SHAPES } from '../pages/page-shapes.ts'
import { NewLists, type ShapePaths, shapePaths } from '../pages/same-pages.ts'
import { loaded } from '../processes/loaded.ts'
import { comeFirst, forkPinned, type PinnedProcess, SERVER_CORE } from '../processes/pinned.ts'

const CONNECTIONS = 64
/** Of a shape in a round. */
const PAGES = 10

interface Orders {
  ids: readonly string[]
  /** One that has an asset, a seller and a price. */
  some: OrderRecord
}

/** The same orders in a Redis and in a DATA_DIR, with a gateway on each. */
export class ServedBook implements AsyncDisposable {
  readonly onRedis: ReadServer
  readonly embedded: ReadServer
  readonly #redis: RedisServer
  readonly #home: string

  static async open(count: number): Promise<ServedBook> {
    const home = mkdtempSync(join(tmpdir(), 'market-bench-'))
    const redis = await RedisServer.start({ appendonly: 'no' })
    comeFirst(Number(/process_id:(\d+)/.exec(await redis.admin.info('server'))?.[1]))
    const orders = await fill(redis.url, join(home, 'store'), count)
    const serve = (name: string, store: string) => {
      const log = join(home, `${name}.log`)
      return ReadServer.start(
        { module: 'read-server', core: SERVER_CORE, args: [name, store], log },
        orders,
      )
    }
    const onRedis = await serve('gateway on Redis', redis.url)
    const embedded = await serve('embedded gateway', home)
    return new ServedBook({ onRedis, embedded }, redis, home)
  }

  private constructor(
    { onRedis, embedded }: Pick<ServedBook, 'onRedis' | 'embedded'>,
    redis: RedisServer,
    home: string,
  ) {
    this.onRedis = onRedis
    this.embedded = embedded
    this.#redis = redis
    this.#home = home
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [this.onRedis, this.embedded]) server[Symbol.dispose]()
    await this.#redis.stop()
    rmSync(this.#home, { recursive: true, force: true })
  }
}

async function fill(redisUrl: string, directory: string, count: number): Promise<Orders> {
  const books = [await RedisBook.open(redisUrl), await EmbeddedBook.open(directory)]
  const ids: string[] = []
  let some: OrderRecord | undefined
  for (const orders of orderBatches(count)) {
    some ??= orders.find(isWhole)
    ids.push(...orders.map(({ id }) => id))
    await Promise.all(books.map((book) => book.put(orders)))
  }
  await Promise.all(books.map((book) => book.close()))
  if (!some) throw new Error('no order of the book has an asset, a seller and a price')
  return { ids, some }
}

/** A gateway that is only read. */
export class ReadServer implements Disposable {
  readonly #process: PinnedProcess
  readonly #port: number
  readonly #paths: readonly string[]
  readonly #shapes: readonly (readonly string[])[]
  readonly #newLists: () => readonly (readonly string[])[]

  static async start(
    pinned: Parameters<typeof forkPinned>[0],
    { ids, some }: Orders,
  ): Promise<ReadServer> {
    const process = forkPinned(pinned)
    const port = await process.call<number>('listen')
    const server: PageServer = { name: '', port, cpuUs: () => process.call<number>('cpu') }
    const shapes = await shapePaths(some, ids.length, PAGES, [server])
    const pathsOf = (shape: ShapePaths) => shape.pathsOf.get(server) ?? []
    const lists = await NewLists.open(PAGES, [server])
    const newLists = () => NEW_LIST_SHAPES.map(({ label }) => lists.pathsOf(server, label))
    return new ReadServer(process, { port, ids, shapes: shapes.map(pathsOf), newLists })
  }

  private constructor(
    process: PinnedProcess,
    {
      port,
      ids,
      shapes,
      newLists,
    }: Pick<Orders, 'ids'> & {
      port: number
      shapes: (readonly string[])[]
      newLists: () => readonly (readonly string[])[]
    },
  ) {
    this.#process = process
    this.#port = port
    this.#paths = ids.map((id) => `/api/market/orders/${id}`)
    this.#shapes = shapes
    this.#newLists = newLists
  }

  /** Reads of random orders: requests a second. */
  async orders(client: PinnedProcess, ms: number): Promise<Sample> {
    const load = { port: this.#port, connections: CONNECTIONS, paths: this.#paths, ms }
    const { figure, cpuUs } = await loaded(this.#process, client, load)
    return { figure, cpuUs }
  }

  /** All shapes, page by page: milliseconds a page of the median shape. */
  pages(client: PinnedProcess): Promise<Sample> {
    return this.#walked(client, this.#shapes)
  }

  /** First pages of lists that it was not asked for before: milliseconds of the median shape. */
  firstPages(client: PinnedProcess): Promise<Sample> {
    return this.#walked(client, this.#newLists())
  }

  async #walked(client: PinnedProcess, shapes: readonly (readonly string[])[]): Promise<Sample> {
    const before = await this.#process.call<number>('cpu')
    const samples: number[][] = []
    for (const paths of shapes)
      samples.push(await client.call<number[]>('walk', { port: this.#port, paths }))
    const cpuUs = (await this.#process.call<number>('cpu')) - before
    return pageSample({ cpuUs, samples })
  }

  [Symbol.dispose](): void {
    this.#process[Symbol.dispose]()
  }
}
