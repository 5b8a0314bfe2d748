import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { callsOf, type DoorParts, streamsOf } from './door-calls.ts'
import { sentError } from './door-errors.ts'
import { removeDoorFile, writeDoorFile } from './door-file.ts'

export interface DoorOptions {
  dataDir: string
  release: string
  parts: DoorParts
}

/** Commands that follow every partition of every topic have a connection for each. */
const MAX_CONNECTIONS = 512
/** A batch of rows for the history is far smaller. */
const MAX_BODY_BYTES = 64 * 2 ** 20

type DoorAnswer = (signal: AbortSignal, ...args: never[]) => unknown

/**
 * Lets commands on this machine ask the parts of this process: on loopback only, with a key that is new
 * at each start and in a file of `dataDir` that only its user can read. Closing it ends every answer.
 */
export async function openDoor({
  dataDir,
  release,
  parts,
}: DoorOptions): Promise<{ close(): Promise<void> }> {
  const key = randomBytes(32).toString('base64url')
  const calls = new Map<string, DoorAnswer>(Object.entries(callsOf(parts)))
  const streams = new Map<string, DoorAnswer>(Object.entries(streamsOf(parts)))
  const server = createServer((request, response) => {
    void answer(request, response, { key, calls, streams }).catch(() => response.destroy())
  })
  server.maxConnections = MAX_CONNECTIONS
  await listening(server)
  const { port } = server.address() as AddressInfo
  const file = { release, address: `http://127.0.0.1:${port}`, key }
  writeDoorFile(dataDir, file)
  return {
    close: async () => {
      removeDoorFile(dataDir, file)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

const listening = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })

interface Inside {
  key: string
  calls: ReadonlyMap<string, DoorAnswer>
  streams: ReadonlyMap<string, DoorAnswer>
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { key, calls, streams }: Inside,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  if (!hasKey(request, key)) return send(response, 401, null)
  const name = request.url?.slice(1) ?? ''
  const [call, stream] = [calls.get(name), streams.get(name)]
  const ask = call ?? stream
  if (!ask || request.method !== 'POST') return send(response, 404, null)
  if (Number(request.headers['content-length'] ?? MAX_BODY_BYTES + 1) > MAX_BODY_BYTES)
    return send(response, 413, null)
  const args = (await json(request)) as never[]
  if (stream) {
    // At once: a topic that is followed may say nothing for hours.
    response.writeHead(200).flushHeaders()
    const lines = linesOf(stream(gone.signal, ...args) as AsyncIterable<unknown>)
    return await pipeline(Readable.from(lines), response)
  }
  try {
    send(response, 200, (await ask(gone.signal, ...args)) ?? null)
  } catch (error) {
    send(response, 500, sentError(error))
  }
}

function hasKey({ headers: { authorization = '' } }: IncomingMessage, key: string): boolean {
  const [given, wanted] = [Buffer.from(authorization), Buffer.from(`Bearer ${key}`)]
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** A line for each value, and a last one: what lacks it was cut short. */
async function* linesOf(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  try {
    for await (const value of values) yield `${JSON.stringify({ value })}\n`
    yield '{"end":true}\n'
  } catch (error) {
    yield `${JSON.stringify({ error: sentError(error) })}\n`
  }
}
