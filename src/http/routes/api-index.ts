import type { FastifyInstance, RouteOptions } from 'fastify'
import type { ApiIndex } from '../../schemas/api/protocol.ts'
import { referencePageOf } from '../answers/help.ts'
import { sendJson } from '../answers/send-json.ts'
import { GATEWAY_OPERATIONS } from '../operations/gateway.ts'
import { tagOf } from '../plugins/headers.ts'
import { BASE } from './context.ts'

/** `GET /api/market`: what is there. Call it before the other routes are added, which it lists. */
export function indexRoutes(app: FastifyInstance): void {
  const operations: ApiIndex['operations'] = []
  app.addHook('onRoute', (route) => {
    operations.push(...operationOf(route))
  })
  let answer: { body: string; tag: string } | null = null
  const made = () => {
    const index: ApiIndex = { name: 'Market', docs: '/docs/', openapi: '/openapi.json', operations }
    const body = JSON.stringify(index)
    return { body, tag: tagOf(body) }
  }
  app.get(BASE, { schema: GATEWAY_OPERATIONS.readIndex }, (_request, reply) => {
    answer ??= made()
    return sendJson(reply, answer.body, answer.tag)
  })
}

function operationOf({ method, url, schema = {} }: RouteOptions): ApiIndex['operations'] {
  const { operationId, summary = '' } = schema
  const isOpen = url.startsWith(BASE) && !url.startsWith(`${BASE}/admin`)
  if (operationId === undefined || typeof method !== 'string' || method === 'HEAD' || !isOpen)
    return []
  const path = url.replaceAll(/:(\w+)/g, '{$1}')
  return [{ operationId, method, path, summary, docs: referencePageOf(schema) }]
}
