import type { FastifySchema } from 'fastify'
import { z } from 'zod'
import { AbsentRecordError } from '../../ports/folds/question-errors.ts'
import type { HeaderName } from './headers.ts'
import type { Parameter } from './message-parameters.ts'

/**
 * The `schema` of a route whose failures are messages: the same fields as for any other route,
 * except the failures. The handler checks the parameters, in its own order, so each names its own
 * messages.
 */
export interface MessageDescription {
  operationId: string
  summary: string
  description: string
  tags: readonly string[]
  /** What a 404 may name as not found; the routes of the market have `refusals`. */
  absent?: string | readonly string[]
  /** What a 401 says, on a route for operators. */
  unauthorised?: string
  security?: readonly Record<string, string[]>[]
  /** Where the answer is not `application/json`. */
  mediaType?: string
  answerHeaders?: readonly HeaderName[]
  params?: Readonly<Record<string, Parameter>>
  querystring?: Readonly<Record<string, Parameter>>
  response: { 200: z.ZodType; 503?: z.ZodType }
}

export function messageSchema({
  params,
  querystring,
  absent = [],
  unauthorised,
  ...described
}: MessageDescription): FastifySchema {
  const invalid = Object.values({ ...params, ...querystring }).flatMap(({ refusals }) => refusals)
  return {
    ...described,
    faults: faultsOf({ ...params, ...querystring }),
    ...(params && { params: objectOf(params) }),
    ...(querystring && { querystring: objectOf(querystring) }),
    messages: {
      ...(invalid.length > 0 && { 400: [...new Set(invalid)] }),
      ...(unauthorised !== undefined && { 401: [unauthorised] }),
      ...(params && { 404: [absent].flat().map(AbsentRecordError.messageFor) }),
    },
  }
}

/** The parameter of each message that only one parameter has. */
function faultsOf(parameters: Readonly<Record<string, Parameter>>): Record<string, string> {
  const messages = Object.entries(parameters).flatMap(([name, { refusals }]) =>
    refusals.map((message) => [message, name] as const),
  )
  const isOfOne = ([message]: readonly [string, string]) =>
    messages.filter(([other]) => other === message).length === 1
  return Object.fromEntries(messages.filter(isOfOne))
}

const objectOf = (parameters: Readonly<Record<string, Parameter>>): z.ZodObject =>
  z.object(
    Object.fromEntries(Object.entries(parameters).map(([name, { schema }]) => [name, schema])),
  )
