import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LoadedSample, loaded } from './loaded.ts'
import { ended, forkPinned, OTHER_CORE, type PinnedProcess, SERVER_CORE } from './pinned.ts'

/** The largest page. */
const LISTED = 200

type PairingRoute = 'verified/objects/' | 'objects/'

/**
 * Two pipelines of the same blocks in processes of their own. The one that is read has a core of
 * its own; the other, which it queries, shares the second core with the client.
 */
export class PairingPipelines implements AsyncDisposable {
  readonly #folder: string
  readonly #read: PinnedProcess
  readonly #other: PinnedProcess
  #port = 0
  #keys: readonly string[] = []

  /** `profile`: a folder for a CPU profile of the pipeline that is read. */
  static async start(objects: number, profile?: string): Promise<PairingPipelines> {
    const pipelines = new PairingPipelines(profile)
    await pipelines.#start(objects)
    return pipelines
  }

  private constructor(profile: string | undefined) {
    const module = 'pairing-pipeline'
    this.#folder = mkdtempSync(join(tmpdir(), 'market-bench-'))
    this.#read = forkPinned({ module, core: SERVER_CORE, profile })
    this.#other = forkPinned({ module, core: OTHER_CORE })
  }

  async #start(objects: number): Promise<void> {
    const fill = (process: PinnedProcess, pipeline: 'A' | 'B') =>
      process.call('fill', { pipeline, directory: join(this.#folder, pipeline), objects })
    await Promise.all([fill(this.#read, 'A'), fill(this.#other, 'B')])
    const peerUrl = await this.#other.call<string>('start', { peerUrl: null })
    const origin = await this.#read.call<string>('start', { peerUrl })
    this.#port = Number(new URL(origin).port)
    this.#keys = await objectKeys(origin)
  }

  /** Reads of random objects, over this many connections. */
  async read(
    client: PinnedProcess,
    route: PairingRoute,
    { connections, ms }: { connections: number; ms: number },
  ): Promise<LoadedSample> {
    const paths = this.#keys.map((key) => `/pairing/${route}${key}`)
    return await loaded(this.#read, client, { port: this.#port, connections, paths, ms })
  }

  /** How often the other pipeline has been queried. */
  fetches(): Promise<number> {
    return this.#read.call<number>('fetches')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await ended(this.#read)
    this.#other[Symbol.dispose]()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The link to the next page (RFC 8288). */
const NEXT = /^<([^>]+)>; rel="next"$/

async function objectKeys(origin: string): Promise<string[]> {
  const keys: string[] = []
  let path: string | undefined = `/pairing/objects?limit=${LISTED}`
  while (path !== undefined) {
    const page: Response = await fetch(`${origin}${path}`)
    const { items } = (await page.json()) as { items: { objectKey: string }[] }
    keys.push(...items.map(({ objectKey }) => objectKey))
    path = NEXT.exec(page.headers.get('link') ?? '')?.[1]
  }
  return keys
}
