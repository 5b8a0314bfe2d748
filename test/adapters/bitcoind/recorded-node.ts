import { z } from 'zod'
import { openBitcoind } from '../../../src/adapters/bitcoind/bitcoind.ts'
import type { CredentialSource } from '../../../src/adapters/bitcoind/credentials.ts'
import type { BlockSource, FullNode } from '../../../src/ports/authorities/full-node.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import type { Network } from '../../../src/schemas/scalars.ts'
import { rpcAnswers } from '../../support/chain/recorded-answers.ts'
import { type HttpAnswer, type HttpServer, openHttpServer } from '../../support/http/http-server.ts'
import { systemClock } from '../../support/system-clock.ts'

const Request = z.object({ id: z.int(), method: z.string(), params: z.array(z.unknown()) })
type Request = z.infer<typeof Request>

/** The requests in the body of one HTTP request. */
export const requestsIn = (body: string): readonly Request[] => {
  const parsed: unknown = JSON.parse(body)
  return z.array(Request).parse(Array.isArray(parsed) ? parsed : [parsed])
}

/** The recorded answer to a request, word for word except for its id. */
function recorded({ id, method, params }: Request): string {
  const asked = JSON.stringify([method, params])
  const exchange = Object.values(rpcAnswers).find(
    (known) => JSON.stringify([known.method, known.params]) === asked,
  )
  if (exchange === undefined) throw new Error(`no recorded answer for ${asked}`)
  return withId(exchange.body, id)
}

const withId = (body: string, id: number): string => body.replace(/"id":0\}$/, `"id":${id}}`)

/** Raw replies by method, in place of recorded ones. */
export type Replies = Record<string, string>

/** Answers as the recorded node did. */
export const recordedAnswer =
  (replies: Replies = {}) =>
  ({ body, path = '/' }: { body: string; path?: string }): HttpAnswer => {
    // As a node without -rest answers there.
    if (path.startsWith('/rest/')) return { status: 404, body: '' }
    const texts = requestsIn(body).map((request) => {
      const reply = replies[request.method]
      return reply === undefined ? recorded(request) : withId(reply, request.id)
    })
    return { body: body.startsWith('[') ? `[${texts.join(',')}]` : (texts[0] ?? '') }
  }

export const resultOf = (value: unknown): string =>
  `{"jsonrpc":"2.0","result":${JSON.stringify(value)},"id":0}`

export interface RecordedNode {
  server: HttpServer
  node: FullNode & BlockSource & { close(): Promise<void> }
  close(): Promise<void>
}

/** The client under test against the recorded node. */
export async function openRecordedNode(
  replies: Replies = {},
  options: {
    network?: Network
    timeoutMs?: number
    credentials?: CredentialSource
    clock?: Clock
  } = {},
): Promise<RecordedNode> {
  const server = await openHttpServer(recordedAnswer(replies))
  const node = openBitcoind({
    url: server.url,
    credentials: { user: 'user', password: 'password' },
    network: 'regtest',
    clock: { ...systemClock, sleep: async () => undefined },
    ...options,
  })
  return {
    server,
    node,
    close: async () => {
      await node.close()
      await server.close()
    },
  }
}
