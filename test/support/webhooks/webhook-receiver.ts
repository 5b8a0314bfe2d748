import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { WebhookEvent } from '../../../src/schemas/webhooks/webhook-api.ts'

export interface Received {
  /** The request's path. */
  path: string
  id: string
  event: WebhookEvent
  headers: Record<string, string>
  body: string
}

/**
 * An endpoint as its owner would write it: it verifies what it receives, and answers as the test
 * says.
 */
export interface WebhookReceiver {
  url(path?: string): string
  /** Everything that arrived, including what was refused. */
  received: Received[]
  /** What was answered with 2xx, once each: the state of a receiver that drops duplicates. */
  accepted(path?: string): Received[]
  /** Answers each request; 204 by default. */
  answer: (received: Received, response: ServerResponse) => void
  /** By path: the secret that requests there are verified with. */
  secrets: Map<string, string>
  close(): Promise<void>
}

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = []
  const accepted: Received[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const path = request.url ?? ''
      const body = Buffer.concat(pieces).toString('utf8')
      const headers = request.headers as Record<string, string>
      const secret = receiver.secrets.get(path)
      if (secret) new Webhook(secret).verify(body, headers)
      const event = WebhookEvent.parse(JSON.parse(body))
      const one = { path, id: headers['webhook-id'] ?? '', event, headers, body }
      received.push(one)
      response.on('finish', () => {
        const { statusCode } = response
        if (statusCode >= 200 && statusCode < 300) accepted.push(one)
      })
      receiver.answer(one, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: WebhookReceiver = {
    url: (path = '/') => `http://127.0.0.1:${port}${path}`,
    received,
    accepted(path = '/') {
      const had = new Set<string>()
      return accepted.filter(({ path: to, id }) => {
        if (to !== path || had.has(id)) return false
        had.add(id)
        return true
      })
    },
    answer: (_one, response) => void response.writeHead(204).end(),
    secrets: new Map(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}
