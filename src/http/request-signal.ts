import type { FastifyReply } from 'fastify'

/** Aborts when the client disconnects or has been answered, or when the service's signal aborts. */
export function requestSignal({ raw }: FastifyReply, service: AbortSignal): AbortSignal {
  const over = new AbortController()
  const end = () => over.abort()
  service.addEventListener('abort', end, { once: true })
  raw.once('close', () => {
    service.removeEventListener('abort', end)
    end()
  })
  if (service.aborted || raw.destroyed) end()
  return over.signal
}

/** Aborts with the signal, or after `ms` milliseconds. */
export function abortAfter(ms: number, signal: AbortSignal): AbortSignal {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), ms)
  const end = () => {
    clearTimeout(timer)
    over.abort()
  }
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  return over.signal
}
