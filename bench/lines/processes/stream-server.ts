import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { serveParent } from '../../market/wire.ts'
import { benchGateway } from './bench-gateway.ts'

// The gateway that sends changes to its readers, or its peer: a bare Fastify that gets the bytes of
// each event and writes them to the readers of that seller. Arguments: which; for the gateway its
// Redis and its settings as JSON.

const [role = '', redisUrl = '', settings = '{}'] = process.argv.slice(2)

/** The peer's readers, by the seller that they follow. */
const following = new Map<string, Set<ServerResponse>>()

function peer(): FastifyInstance {
  const app = Fastify()
  app.get<{ Querystring: { seller: string } }>('/api/market/activity/stream', (request, reply) => {
    reply.hijack()
    const { raw } = reply
    const { seller } = request.query
    const readers = following.get(seller) ?? new Set()
    following.set(seller, readers.add(raw))
    raw.once('close', () => readers.delete(raw))
    raw.writeHead(200, { 'content-type': 'text/event-stream' })
    raw.write('event: snapshot\ndata: {}\n\n')
  })
  return app
}

serveParent({
  listen: async () => {
    const given = JSON.parse(settings) as Record<string, string>
    const app = role === 'peer' ? peer() : await benchGateway({ of: { redisUrl }, settings: given })
    await app.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 })
    return (app.server.address() as AddressInfo).port
  },
  push: ({ seller, frame }: { seller: string; frame: string }) => {
    const bytes = Buffer.from(frame)
    for (const reader of following.get(seller) ?? []) reader.write(bytes)
  },
  /** Processor time of all threads, microseconds. */
  cpu: () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  end: () => {
    setImmediate(() => process.exit(0))
  },
})
