import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

/** What is to run when an answer is over, by its response: two listeners of it, however many wait. */
const atEndOf = new WeakMap<ServerResponse, (() => void)[]>()
/** The ends of the answers of a connection: one listener of it, however many requests it has. */
const endsOn = new WeakMap<Socket, Set<() => void>>()

/**
 * Runs `done` once, as soon as nothing of the answer is left to be sent: it was sent, it failed, or
 * its connection has ended; at once if that was before. The response alone does not say so: Node
 * tells nothing to the response of a pipelined request whose connection ends before it is sent.
 */
export function whenOver({ raw: response, request }: FastifyReply, done: () => void): void {
  const { socket } = request.raw
  if (socket.destroyed || response.destroyed || response.writableFinished) {
    done()
    return
  }
  const waiting = atEndOf.get(response)
  if (waiting) waiting.push(done)
  else watch(response, socket, [done])
}

function watch(response: ServerResponse, socket: Socket, waiting: (() => void)[]): void {
  const ends = endsOf(socket)
  const end = () => {
    if (!ends.delete(end)) return
    response.off('close', end)
    response.off('finish', end)
    for (const done of waiting) done()
  }
  atEndOf.set(response, waiting)
  ends.add(end)
  response.on('close', end)
  response.on('finish', end)
}

function endsOf(socket: Socket): Set<() => void> {
  const known = endsOn.get(socket)
  if (known) return known
  const ends = new Set<() => void>()
  endsOn.set(socket, ends)
  socket.once('close', () => {
    for (const end of ends) end()
  })
  return ends
}
