import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * The fate of a request: `lose` lets it be processed and cuts the connection instead of answering.
 */
export type Fault =
  | 'pass'
  | 'hang'
  | 'cut'
  | 'lose'
  | { status: number; headers?: Record<string, string>; body: string | Iterable<Buffer> }

type Decide = (request: {
  address: URL
  headers: IncomingHttpHeaders
  body: Buffer
}) => Fault | Promise<Fault>

export interface FaultyProxy {
  readonly url: string
  /** The fate of every request from now on. */
  decide(fault: Decide): void
  close(): Promise<void>
}

/** Between a client and a real HTTP server; fails as the test says, at first never. */
export async function openFaultyProxy(target: string): Promise<FaultyProxy> {
  let decide: Decide = () => 'pass'
  const server = createServer({ maxHeaderSize: 1_048_576 }, (incoming, response) => {
    const cut = () => incoming.socket.destroy()
    const serve = async () => {
      const body = await bodyOf(incoming)
      const address = new URL(incoming.url ?? '/', target)
      const fault = await decide({ address, headers: incoming.headers, body })
      if (fault === 'hang') return
      if (fault === 'cut') return void cut()
      if (typeof fault === 'object') return answer(response, fault)
      const given = await forward(incoming, address, body)
      if (fault === 'lose') return void cut()
      response.writeHead(given.statusCode ?? 502, given.headers)
      given.pipe(response)
    }
    serve().catch(cut)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    decide: (fault) => {
      decide = fault
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function answer(response: ServerResponse, { status, headers, body }: Exclude<Fault, string>) {
  response.writeHead(status, headers)
  return pipeline(Readable.from(typeof body === 'string' ? [body] : body), response)
}

function forward(incoming: IncomingMessage, address: URL, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, headers } = incoming
    // No earlier connection is reused: the target may have been killed and started since.
    const outgoing = send(address, { method, headers, agent: false })
    outgoing.once('response', resolve).once('error', reject)
    outgoing.end(body)
  })
}
