import type { FastifyReply } from 'fastify'
import { whenOver } from './when-over.ts'

/** Aborts when the client disconnects or has been answered, or when the service's signal aborts. */
export function requestSignal(reply: FastifyReply, service: AbortSignal): AbortSignal {
  const stop = new AbortController()
  const end = () => stop.abort()
  service.addEventListener('abort', end, { once: true })
  whenOver(reply, () => {
    service.removeEventListener('abort', end)
    end()
  })
  if (service.aborted) end()
  return stop.signal
}

/** Aborts when the client disconnects or has been answered, whatever the service does. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const stop = new AbortController()
  whenOver(reply, () => stop.abort())
  return stop.signal
}
