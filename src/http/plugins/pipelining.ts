import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { closeUnanswered } from '../limits/admission.ts'

/** Requests of a connection that wait for earlier answers; one more ends the connection. */
const MAX_WAITING = 16

/**
 * A request that was sent before the earlier ones of its connection were answered (RFC 9112, 9.3.2)
 * begins when their answers have been sent. So a connection holds one answer, and a client that need
 * not read holds nothing else: no slot, no work, no file. Call it before all hooks that do anything
 * for a request but observe it.
 */
export function answerInOrder(app: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>()

  app.addHook('onRequest', (request, reply, done) => {
    if (isNext(reply)) {
      done()
      return
    }
    const { socket } = request.raw
    const ahead = waiting.get(socket) ?? 0
    if (ahead >= MAX_WAITING) {
      closeUnanswered(request, reply)
      return
    }
    waiting.set(socket, ahead + 1)
    reply.raw.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      // A turn of the event loop later: the end of the answer before is not known to all yet. Node passes on a connection
      // that was ended in the middle of an answer, too.
      process.nextTick(() => {
        if (!socket.destroyed) done()
      })
    })
  })
}

/** Node gives the connection to one response at a time. */
const isNext = ({ raw }: FastifyReply): boolean => raw.socket !== null
