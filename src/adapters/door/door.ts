import { Agent, errors, request } from 'undici'
import { z } from 'zod'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import type { callsOf, streamsOf } from './door-calls.ts'
import { receivedError, SentError } from './door-errors.ts'
import { DoorClosedError, type DoorFile, doorPath, readDoorFile } from './door-file.ts'

type Calls = ReturnType<typeof callsOf>
type Streams = ReturnType<typeof streamsOf>
type ArgumentsOf<F> = F extends (signal: AbortSignal, ...args: infer A) => unknown ? A : []
type ValueOf<F> = F extends (...args: never[]) => AsyncIterable<infer V> ? V : never

/** Longer than the engine of the history may take. */
const ANSWER_MS = 300_000
/** A service on a busy machine says sooner which one it is. */
const FIND_MS = 15_000

const Line = z.object({
  value: z.unknown().optional(),
  error: SentError.optional(),
  end: z.literal(true).optional(),
})

const Service = z.object({ id: z.string(), partitions: z.int(), api: z.url() })

/** Nothing of a service is behind the file of a door. */
class NobodyThereError extends Error {}

/** Something is there, and gave no answer in time. */
class SilentError extends Error {}

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
  static async find(
    dataDir: string,
    release: string,
    { findMs = FIND_MS }: { findMs?: number } = {},
  ): Promise<Door | null> {
    const file = readDoorFile(dataDir)
    if (!file) return null
    const agent = new Agent({ bodyTimeout: 0 })
    try {
      const { data: service } = Service.safeParse(
        await ask(file, agent, 'service', [], findMs).catch(notOurs),
      )
      if (!service) throw new NobodyThereError('another program')
      if (file.release !== release)
        throw new DoorClosedError(
          `the service in ${dataDir} is release ${file.release}, and this command ${release}: use that of the service`,
        )
      return new Door(file, agent, service)
    } catch (error) {
      await agent.destroy()
      if (error instanceof NobodyThereError) return null
      if (error instanceof SilentError)
        throw new DoorClosedError(
          `the service in ${dataDir} gave no answer within ${findMs / 1_000} s: wait for it or restart it; where none runs, remove ${doorPath(dataDir)}`,
        )
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
      const body = await opened(this.#file, this.#agent, name, args, { signal })
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

interface Wait {
  signal: AbortSignal | null
  /** Until the answer begins. */
  withinMs?: number
}

async function opened(
  { address, key }: DoorFile,
  agent: Agent,
  name: string,
  args: readonly unknown[],
  { signal, withinMs = ANSWER_MS }: Wait,
) {
  const { statusCode, body } = await request(`${address}/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(args),
    dispatcher: agent,
    headersTimeout: withinMs,
    signal,
  }).catch((cause: unknown) => {
    if (cause instanceof errors.HeadersTimeoutError) throw new SilentError('no answer', { cause })
    throw new NobodyThereError('no answer', { cause })
  })
  if (statusCode === 200) return body
  const refusal = SentError.safeParse(await body.json().catch(() => null))
  throw refusal.success ? receivedError(refusal.data) : new NobodyThereError(`${statusCode}`)
}

const ask = async (
  file: DoorFile,
  agent: Agent,
  name: string,
  args: readonly unknown[],
  withinMs = ANSWER_MS,
) => await (await opened(file, agent, name, args, { signal: null, withinMs })).json()

/** Another program has the port by now. */
function notOurs(error: unknown): never {
  if (error instanceof SyntaxError) throw new NobodyThereError('another program', { cause: error })
  throw error
}

/** A transport that breaks is a service that ended. */
function rethrow(error: unknown): never {
  const isOfTransport =
    error instanceof NobodyThereError ||
    error instanceof SilentError ||
    (error instanceof Error &&
      'code' in error &&
      /^(?:UND_ERR|ECONNRESET)/.test(String(error.code)))
  if (!isOfTransport) throw error
  throw new StorageUnavailableError('closed', 'the service stopped: run the command again', {
    cause: error,
  })
}
