import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

/** What is to run when an answer is over, by its response. */
type OpenAnswers = Map<ServerResponse, (() => void)[]>

/** The open answers of a connection: one listener of it, however many requests it has. */
const openOn = new WeakMap<Socket, OpenAnswers>()

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
  const open = answersOn(socket)
  const waiting = open.get(response)
  // Two listeners of the response, however many wait.
  if (waiting) waiting.push(done)
  else watch(open, response, done)
}

function watch(open: OpenAnswers, response: ServerResponse, done: () => void): void {
  open.set(response, [done])
  const end = () => endAnswer(open, response)
  response.on('close', end)
  response.on('finish', end)
}

function answersOn(socket: Socket): OpenAnswers {
  const known = openOn.get(socket)
  if (known) return known
  const open: OpenAnswers = new Map()
  openOn.set(socket, open)
  socket.once('close', () => {
    for (const response of open.keys()) endAnswer(open, response)
  })
  return open
}

function endAnswer(open: OpenAnswers, response: ServerResponse): void {
  const waiting = open.get(response)
  if (!waiting) return
  open.delete(response)
  for (const done of waiting) done()
}
