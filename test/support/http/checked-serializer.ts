import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifySerializerCompiler } from 'fastify'
import { z } from 'zod'

/**
 * The product's serializer, which here throws when an answer does not match its route's schema
 * exactly.
 */
export const checkedSerializer: FastifySerializerCompiler<z.ZodType> =
  ({ schema, method, url }) =>
  (answer) => {
    const text = JSON.stringify(answer)
    check(`${method} ${url}`, schema, JSON.parse(text))
    return text
  }

/** The same for answers sent as text, which no serializer sees. */
export function checkTexts(app: FastifyInstance): void {
  app.addHook('onSend', async ({ method, routeOptions }, reply, payload) => {
    const described = (routeOptions.schema?.response ?? {}) as Record<number, unknown>
    const schema = described[reply.statusCode]
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json')
    if (schema instanceof z.ZodType && isJson && typeof payload === 'string')
      check(`${method} ${routeOptions.url}`, schema, JSON.parse(payload))
    return payload
  })
}

function check(route: string, schema: z.ZodType, answer: unknown): void {
  const described = JSON.parse(JSON.stringify(z.encode(schema, answer as never)))
  if (isDeepStrictEqual(described, answer)) return
  throw new Error(`${route} answers what its schema does not describe: ${JSON.stringify(answer)}`)
}
