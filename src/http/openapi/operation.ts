import type {} from '@fastify/swagger'
import type { FastifyContextConfig, FastifySchema } from 'fastify'
import { z } from 'zod'
import type { ErrorCode } from '../../schemas/errors.ts'

/** Values that work, in this order, on the devnet that `npm start` makes. */
export interface OperationExample {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  body?: object
  /** What a success looks like. */
  answer: unknown
}

declare module 'fastify' {
  interface FastifySchema {
    /** What the route may refuse by itself; what any request may be refused for is added. */
    refusals?: readonly ErrorCode[]
    example?: OperationExample
  }
}

/** A route as its registration describes it: its schemas are zod's. */
export interface RouteFacts {
  method: 'GET' | 'POST'
  config: FastifyContextConfig
  schema: FastifySchema
  params: z.ZodObject | null
  querystring: z.ZodObject | null
  body: z.ZodType | null
  success: { status: number; schema: z.ZodType }
}

/** @throws Error for a route whose registration leaves something out */
export function factsOf(
  url: string,
  method: string | readonly string[],
  schema: FastifySchema,
  config: FastifyContextConfig = {},
): RouteFacts {
  if (method !== 'GET' && method !== 'POST') throw new Error(`${url}: cannot describe ${method}`)
  const responses = Object.entries(schema.response ?? {})
  const [success] = responses
  if (success === undefined || responses.length > 1) throw new Error(`${url}: no one success`)
  const [status, answer] = success
  return {
    method,
    config,
    schema,
    params: objectOrNull(schema.params),
    querystring: objectOrNull(schema.querystring),
    body: typeOrNull(schema.body),
    success: { status: Number(status), schema: typeOrNull(answer) ?? z.unknown() },
  }
}

const typeOrNull = (schema: unknown): z.ZodType | null =>
  schema instanceof z.ZodType ? schema : null
const objectOrNull = (schema: unknown): z.ZodObject | null =>
  schema instanceof z.ZodObject ? schema : null
