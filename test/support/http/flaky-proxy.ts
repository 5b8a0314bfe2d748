import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The fate of one request: `refuse`, it never reaches the service; `lose`, the service answers and
 * the answer is lost; `cut`, half of the answer arrives; `hang`, no answer; or an answer of the
 * proxy's own.
 */
export type Fault =
  | 'pass'
  | 'refuse'
  | 'lose'
  | 'cut'
  | 'hang'
  | { status: number; headers?: Record<string, string>; body?: string }

export interface Passed {
  method: string
  path: string
  headers: IncomingMessage['headers']
  fault: Fault
}

export interface FlakyProxy {
  readonly url: string
  /** Every request received, oldest first. */
  readonly requests: readonly Passed[]
  /** The faults of the next requests; later ones pass. */
  fail(...faults: Fault[]): void
  /** Requests from now on go there. */
  lead(to: string): void
  /** Closes all connections to clients, whatever is in flight. */
  cut(): void
  close(): Promise<void>
}

/** A proxy that fails as the test says, in front of a real service. */
export async function openFlakyProxy(to: string): Promise<FlakyProxy> {
  const requests: Passed[] = []
  let faults: Fault[] = []
  let target = to
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming
    const fault = faults.shift() ?? 'pass'
    requests.push({ method, path, headers, fault })
    if (fault === 'hang') return
    if (fault === 'refuse') return void incoming.socket.destroy()
    if (typeof fault === 'object') {
      incoming.resume()
      const type = { 'content-type': 'application/json' }
      outgoing.writeHead(fault.status, { ...type, ...fault.headers }).end(fault.body ?? '{}')
      return
    }
    forward(incoming, outgoing, { target, fault })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    fail: (...next) => {
      faults = next
    },
    lead: (next) => {
      target = next
    },
    cut: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { target, fault }: { target: string; fault: 'pass' | 'lose' | 'cut' },
): void {
  const { method, url: path = '', headers } = incoming
  const passed = request(new URL(path, target), { method, headers, agent: false }, (answer) => {
    if (fault === 'pass') {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.flushHeaders()
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
      return
    }
    const chunks: Buffer[] = []
    const fail = () => {
      if (fault === 'lose') return void outgoing.destroy()
      const whole = Buffer.concat(chunks)
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.write(whole.subarray(0, whole.length >> 1), () => outgoing.destroy())
    }
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A stream does not end: half of what came first is half of it.
    const isStream = answer.headers['content-type']?.startsWith('text/event-stream')
    answer.once(isStream ? 'data' : 'end', fail)
  })
  passed.on('error', () => outgoing.destroy())
  outgoing.on('close', () => passed.destroy())
  incoming.pipe(passed)
}
