import { Agent, request } from 'undici'
import { z } from 'zod'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import type { callsOf, streamsOf } from './door-calls.ts'
import { receivedError, SentError } from './door-errors.ts'
import { DoorClosedError, type DoorFile, readDoorFile } from './door-file.ts'

type Calls = ReturnType<typeof callsOf>
type Streams = ReturnType<typeof streamsOf>
type ArgumentsOf<F> = F extends (signal: AbortSignal, ...args: infer A) => unknown ? A : []
type ValueOf<F> = F extends (...args: never[]) => AsyncIterable<infer V> ? V : never

/** Longer than the engine of the history may take. */
const ANSWER_MS = 300_000

const Line = z.object({
  value: z.unknown().optional(),
  error: SentError.optional(),
  end: z.literal(true).optional(),
})

const Service = z.object({ id: z.string(), partitions: z.int(), api: z.url() })

/** Nothing of a service is behind the file of a door. */
class NobodyThereError extends Error {}

/**
 * The way to the service that has a DATA_DIR open. Both ends are of one release, so that what comes
 * back is what the other end made of its types: it is not examined.
 */
export class Door {
  /** The log's id and partitions, and the address of the API. */
  readonly service: z.infer<typeof Service>
  readonly #file: DoorFile
  /** `tail` waits for as long as nothing is written. */
  readonly #agent: Agent

  /** Null if no service is there: DATA_DIR can be opened. @throws DoorClosedError */
  static async find(dataDir: string, release: string): Promise<Door | null> {
    const file = readDoorFile(dataDir)
    if (!file) return null
    const agent = new Agent({ bodyTimeout: 0, headersTimeout: ANSWER_MS })
    try {
      const { data: service } = Service.safeParse(await ask(file, agent, 'service', []))
      if (!service) throw new NobodyThereError('another program')
      if (file.release !== release)
        throw new DoorClosedError(
          `the service in ${dataDir} is release ${file.release}, and this command ${release}: use that of the service`,
        )
      return new Door(file, agent, service)
    } catch (error) {
      await agent.destroy()
      if (error instanceof NobodyThereError) return null
      throw error
    }
  }

  private constructor(file: DoorFile, agent: Agent, service: Door['service']) {
    this.#file = file
    this.#agent = agent
    this.service = service
  }

  /** @throws what the part throws, and StorageUnavailableError if the service ends. */
  async ask<N extends keyof Calls>(
    name: N,
    ...args: ArgumentsOf<Calls[N]>
  ): Promise<Awaited<ReturnType<Calls[N]>>> {
    return (await ask(this.#file, this.#agent, name, args).catch(rethrow)) as never
  }

  /** Values as they come, those that came together at once; ends without an error if the signal aborts. */
  async *follow<N extends keyof Streams>(
    name: N,
    signal: AbortSignal | null,
    ...args: ArgumentsOf<Streams[N]>
  ): AsyncGenerator<ValueOf<Streams[N]>[]> {
    try {
      const body = await opened(this.#file, this.#agent, name, args, signal)
      let rest = ''
      const decoder = new TextDecoder()
      for await (const chunk of body) {
        const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n')
        rest = parts.pop() ?? ''
        const lines = parts.map((line) => Line.parse(JSON.parse(line)))
        const last = lines.at(-1)
        const values = lines.filter(({ end, error }) => !end && !error).map(({ value }) => value)
        if (values.length > 0) yield values as ValueOf<Streams[N]>[]
        if (last?.error) throw receivedError(last.error)
        if (last?.end) return
      }
      throw new NobodyThereError()
    } catch (error) {
      if (signal?.aborted) return
      rethrow(error)
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

async function opened(
  { address, key }: DoorFile,
  agent: Agent,
  name: string,
  args: readonly unknown[],
  signal: AbortSignal | null,
) {
  const { statusCode, body } = await request(`${address}/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
    dispatcher: agent,
    signal,
  }).catch((cause: unknown) => {
    throw new NobodyThereError('no answer', { cause })
  })
  if (statusCode === 200) return body
  const refusal = SentError.safeParse(await body.json().catch(() => null))
  throw refusal.success ? receivedError(refusal.data) : new NobodyThereError(`${statusCode}`)
}

const ask = async (file: DoorFile, agent: Agent, name: string, args: readonly unknown[]) =>
  await (await opened(file, agent, name, args, null)).json()

/** A transport that breaks is a service that ended. */
function rethrow(error: unknown): never {
  const isOfTransport =
    error instanceof NobodyThereError ||
    (error instanceof Error &&
      'code' in error &&
      /^(?:UND_ERR|ECONNRESET)/.test(String(error.code)))
  if (!isOfTransport) throw error
  throw new StorageUnavailableError('closed', 'the service stopped: run the command again', {
    cause: error,
  })
}
