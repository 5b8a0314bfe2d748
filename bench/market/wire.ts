import type { ChildProcess } from 'node:child_process'
import {
  IndexUnavailableError,
  NodeUnavailableError,
} from '../../src/ports/authorities/authority-errors.ts'

/** One end of a channel between two processes. */
export interface Channel {
  send(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): void
}

// biome-ignore lint/suspicious/noExplicitAny: both ends of the wire are of one source
type Handler = (...args: any[]) => unknown

type Message =
  | { kind: 'call'; id: number; name: string; args: unknown[] }
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'failure'; id: number; error: Failure }

interface Failure {
  name: string
  message: string
  reason?: string
}

/**
 * Calls the handlers at the other end, by name, and answers its calls of ours. Once the other end is
 * `gone`, calls fail with the reason of that.
 */
export function openWire(
  channel: Channel,
  handlers: Record<string, Handler>,
  gone: AbortSignal = new AbortController().signal,
) {
  const waiting = new Map<number, { resolve(value: never): void; reject(error: unknown): void }>()
  let calls = 0
  const answer = async ({ id, name, args }: Extract<Message, { kind: 'call' }>) => {
    try {
      channel.send({ kind: 'answer', id, value: await handlers[name]?.(...args) })
    } catch (error) {
      channel.send({ kind: 'failure', id, error: failureOf(error) })
    }
  }
  channel.on('message', (received) => {
    const message = received as Message
    if (message.kind === 'call') return void answer(message)
    const call = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.kind === 'answer') call?.resolve(message.value as never)
    else call?.reject(errorOf(message.error))
  })
  gone.addEventListener('abort', () => {
    for (const { reject } of waiting.values()) reject(gone.reason)
    waiting.clear()
  })
  return <T>(name: string, ...args: unknown[]): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (gone.aborted) return reject(gone.reason)
      calls += 1
      waiting.set(calls, { resolve, reject })
      channel.send({ kind: 'call', id: calls, name, args })
    })
}

export type Call = ReturnType<typeof openWire>

/** Serves the process that started this one, and ends with it: without that there is nothing to measure. */
export function serveParent(handlers: Record<string, Handler>): Call {
  process.once('disconnect', () => process.exit())
  return openWire(process as unknown as Channel, handlers)
}

/** For a process that this one has forked. */
export function channelTo(child: ChildProcess): Channel {
  return {
    // What it does not get fails with its end: the error of a send would end this process.
    send: (message) => void (child.connected && child.send(message as object, () => undefined)),
    on: (event, listener) => void child.on(event, listener),
  }
}

/** Aborted when the process has ended, or could not be started. */
export function endOf(child: ChildProcess, name: string): AbortSignal {
  const gone = new AbortController()
  child.once('error', (error) => gone.abort(error))
  child.once('exit', (code, signal) =>
    gone.abort(new Error(`the process ${name} has ended: ${signal ?? `exit code ${code}`}`)),
  )
  return gone.signal
}

function failureOf(error: unknown): Failure {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const isAway = error instanceof NodeUnavailableError || error instanceof IndexUnavailableError
  return { name, message, ...(isAway ? { reason: error.reason } : {}) }
}

function errorOf({ name, message, reason }: Failure): Error {
  if (name === 'NodeUnavailableError')
    return new NodeUnavailableError(reason as NodeUnavailableError['reason'], message)
  if (name === 'IndexUnavailableError')
    return new IndexUnavailableError(reason as IndexUnavailableError['reason'], message)
  return new Error(`${name}: ${message}`)
}
