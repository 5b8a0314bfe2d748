import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

export interface HttpRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface HttpAnswer {
  status?: number
  contentType?: string
  body: string | Buffer
}

/** `hang` never answers, `drip` sends a byte every 20 ms forever, `reset` cuts the connection. */
export type HttpHandler = (request: HttpRequest) => HttpAnswer | 'hang' | 'drip' | 'reset'

export interface HttpServer {
  readonly url: string
  readonly requests: readonly HttpRequest[]
  answer(handler: HttpHandler): void
  close(): Promise<void>
}

/** A server whose every answer the test determines. */
export async function openHttpServer(first: HttpHandler): Promise<HttpServer> {
  let handler = first
  const requests: HttpRequest[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
      }
      requests.push(request)
      const answer = handler(request)
      if (answer === 'hang') return
      if (answer === 'reset') return void incoming.socket.destroy()
      if (answer === 'drip') return drip(response)
      const type = answer.contentType ?? 'application/json'
      response.writeHead(answer.status ?? 200, { 'content-type': type }).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    answer: (next) => {
      handler = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}
