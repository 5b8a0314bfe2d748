import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { Agent } from 'undici'

/** A proxy in front of a node or an index that forwards everything and counts the requests. */
export interface CountingProxy {
  readonly url: string
  /** Requests since the start: each call of a JSON-RPC batch counts as one. */
  asked(): number
  close(): Promise<void>
}

const CONNECTIONS = 64
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])

export async function openCountingProxy(target: string): Promise<CountingProxy> {
  const { origin } = new URL(target)
  const agent = new Agent({ connections: CONNECTIONS })
  let asked = 0
  const server = createServer((incoming, response) => {
    const serve = async () => {
      const body = Buffer.concat(await incoming.toArray())
      asked += questionsIn(body)
      const { method = 'GET', headers, url = '/' } = incoming
      const answer = await agent.request({
        origin,
        path: url,
        method: method as 'GET' | 'POST',
        headers: withoutHops(headers),
        ...(body.length > 0 && { body }),
      })
      response.writeHead(answer.statusCode, withoutHops(answer.headers))
      await pipeline(answer.body, response)
    }
    serve().catch(() => incoming.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await agent.destroy()
    },
  }
}

function questionsIn(body: Buffer): number {
  if (body[0] !== '['.charCodeAt(0)) return 1
  const batch = JSON.parse(body.toString()) as unknown[]
  // A batch of names, as ord takes it, counts as one request.
  return batch.every((entry) => typeof entry === 'object') ? batch.length : 1
}

function withoutHops<T>(headers: Record<string, T | undefined>): Record<string, T> {
  const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name))
  return Object.fromEntries(
    kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
