import type { FastifyReply } from 'fastify'

/** Aborts when the client has left, or been answered, and with the service's own signal. */
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
