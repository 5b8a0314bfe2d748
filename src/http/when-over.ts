import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

/** What is to run when a connection ends, of each connection: one listener of it, however many requests. */
const atEndOf = new WeakMap<Socket, Set<() => void>>()

/**
 * Runs `done` once, as soon as nothing of the answer is left to be sent: it was sent, it failed, or
 * its connection has ended; at once if that was before. The response alone does not say so: Node
 * tells nothing to the response of a pipelined request whose connection ends before its turn.
 */
export function whenOver({ raw: response, request }: FastifyReply, done: () => void): void {
  const { socket } = request.raw
  const waiting = waitingFor(socket)
  const end = () => {
    if (!waiting.delete(end)) return
    response.off('close', end)
    response.off('finish', end)
    done()
  }
  waiting.add(end)
  response.on('close', end)
  response.on('finish', end)
  if (socket.destroyed || response.destroyed || response.writableFinished) end()
}

function waitingFor(socket: Socket): Set<() => void> {
  const known = atEndOf.get(socket)
  if (known) return known
  const waiting = new Set<() => void>()
  atEndOf.set(socket, waiting)
  socket.once('close', () => {
    for (const end of waiting) end()
  })
  return waiting
}
