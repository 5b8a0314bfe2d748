import { once } from 'node:events'
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import {
  StreamChange,
  StreamEnd,
  StreamHeartbeat,
  StreamSnapshot,
} from '../../../src/schemas/api/stream.ts'

/** An event as a browser's EventSource would give it, its data parsed. */
export type ReceivedEvent =
  | { event: 'snapshot'; id: string; data: StreamSnapshot }
  | { event: 'change'; id: string; data: StreamChange }
  | { event: 'heartbeat'; id: string; data: StreamHeartbeat }
  | { event: 'resync-required'; id: string; data: StreamEnd }

const SCHEMAS = {
  snapshot: StreamSnapshot,
  change: StreamChange,
  heartbeat: StreamHeartbeat,
  'resync-required': StreamEnd,
} as const

export interface StreamClient {
  status: number
  headers: IncomingHttpHeaders
  /** The next event; null at the end of the stream. */
  next(): Promise<ReceivedEvent | null>
  /** The next event other than a heartbeat. */
  nextOf<E extends ReceivedEvent['event']>(event: E): Promise<Extract<ReceivedEvent, { event: E }>>
  /** Disconnects, whatever is in flight. */
  kill(): void
}

/**
 * Follows a stream over a connection of its own. Throws for data that does not match its schema.
 */
export async function openStream(
  url: string,
  headers: Record<string, string> = {},
): Promise<StreamClient> {
  const request = get(url, { headers, agent: false })
  // Once there is an answer, reading it reports errors.
  request.on('error', () => {})
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const events = eventsOf(answer)
  const next = async (): Promise<ReceivedEvent | null> => (await events.next()).value ?? null
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    next,
    async nextOf<E extends ReceivedEvent['event']>(wanted: E) {
      for (;;) {
        const one = await next()
        if (one?.event === wanted) return one as Extract<ReceivedEvent, { event: E }>
        if (one?.event !== 'heartbeat') throw new Error(`no ${wanted}, but ${JSON.stringify(one)}`)
      }
    },
    kill: () => {
      request.destroy()
    },
  }
}

async function* eventsOf(body: IncomingMessage): AsyncGenerator<ReceivedEvent, void> {
  let text = ''
  for await (const piece of body.setEncoding('utf8')) {
    text += piece as string
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map(fieldOf))
      if (fields['event']) yield received(fields)
    }
  }
}

const fieldOf = (line: string): [string, string] => {
  const at = line.indexOf(': ')
  return [line.slice(0, at), line.slice(at + 2)]
}

function received({ event = '', id = '', data = '' }: Record<string, string>): ReceivedEvent {
  const schema = SCHEMAS[event as keyof typeof SCHEMAS]
  if (!schema) throw new Error(`an event without a schema: ${event}`)
  return { event, id, data: schema.parse(JSON.parse(data)) } as ReceivedEvent
}
