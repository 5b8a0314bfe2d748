import type {} from '@fastify/swagger'
import type { FastifyContextConfig, FastifySchema } from 'fastify'
import { z } from 'zod'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import { exampleOf, type OperationExample } from './examples.ts'
import type { HeaderName } from './headers.ts'

/** What each 400, 401 and 404 of a route may say. */
export type Messages = Readonly<Partial<Record<400 | 401 | 404, readonly string[]>>>

declare module 'fastify' {
  interface FastifySchema {
    /** Refusals of the route itself; those common to all requests are added. */
    refusals?: readonly ErrorCode[]
    /** For a route whose failures are messages (message-errors.ts), instead of refusals. */
    messages?: Messages
    /** Media type of a success, if not `application/json`. */
    mediaType?: string
    /** Media type of the body, if not `application/json`. */
    bodyType?: string
    /** Also answered in part, by routes/send-bytes.ts: a 206, and a 416. */
    hasRanges?: boolean
    /** Headers of a success and a 304: they replace the usual ETag. */
    answerHeaders?: readonly HeaderName[]
  }
}

/** A route as registered: its schemas are zod's. */
export interface RouteFacts {
  method: 'GET' | 'POST'
  config: FastifyContextConfig
  schema: FastifySchema
  params: z.ZodObject | null
  querystring: z.ZodObject | null
  body: z.ZodType | null
  success: DescribedAnswer
  /** Non-success answers that have their own body. */
  others: readonly DescribedAnswer[]
  example: OperationExample | null
}

export interface DescribedAnswer {
  status: number
  schema: z.ZodType
}

/** @throws Error if the route's registration is incomplete */
export function operationFactsOf(
  url: string,
  method: string | readonly string[],
  schema: FastifySchema,
  config: FastifyContextConfig = {},
): RouteFacts {
  if (method !== 'GET' && method !== 'POST') throw new Error(`${url}: cannot describe ${method}`)
  const answers = Object.entries(schema.response ?? {}).map(([status, answer]) => ({
    status: Number(status),
    schema: typeOrNull(answer) ?? z.unknown(),
  }))
  const [success, ...more] = answers.filter(isSuccess)
  if (success === undefined || more.length > 0) throw new Error(`${url}: no one success`)
  return {
    method,
    config,
    schema,
    params: objectOrNull(schema.params),
    querystring: objectOrNull(schema.querystring),
    body: typeOrNull(schema.body),
    success,
    others: answers.filter((answer) => !isSuccess(answer)),
    example: exampleOf(schema.operationId ?? ''),
  }
}

const isSuccess = ({ status }: DescribedAnswer): boolean => status < 300

const typeOrNull = (schema: unknown): z.ZodType | null =>
  schema instanceof z.ZodType ? schema : null
const objectOrNull = (schema: unknown): z.ZodObject | null =>
  schema instanceof z.ZodObject ? schema : null
