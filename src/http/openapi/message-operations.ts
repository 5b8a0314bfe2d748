import type { FastifySchema } from 'fastify'
import { z } from 'zod'
import { absenceOf } from '../../ports/folds/message-refusal.ts'
import type { HeaderName } from './headers.ts'
import type { Parameter } from './message-parameters.ts'

/** A read whose failures are messages: the handler checks its parameters, in its own order. */
export interface MessageOperation {
  summary: string
  description: string
  path?: Readonly<Record<string, Parameter>>
  query?: Readonly<Record<string, Parameter>>
  answer: z.ZodType
  /** Where the answer is not `application/json`. */
  mediaType?: string
  answerHeaders?: readonly HeaderName[]
  /** The record that a 404 names as not found. */
  absent?: string
  /** The body of a 503, where there is one. */
  unavailable?: z.ZodType
}

/** Each as the schema of its route; its key is its operation's id. */
export const messageOperations = <K extends string>(
  tag: string,
  operations: Readonly<Record<K, MessageOperation>>,
): Record<K, FastifySchema> =>
  Object.fromEntries(
    Object.entries<MessageOperation>(operations).map(([operationId, operation]) => [
      operationId,
      { operationId, tags: [tag], ...schemaOf(operation) } satisfies FastifySchema,
    ]),
  ) as Record<string, FastifySchema> as Record<K, FastifySchema>

function schemaOf({
  path,
  query,
  absent,
  answer,
  unavailable,
  ...words
}: MessageOperation): FastifySchema {
  const invalid = Object.values({ ...path, ...query }).flatMap(({ refusals }) => refusals)
  return {
    ...words,
    ...(path && { params: objectOf(path) }),
    ...(query && { querystring: objectOf(query) }),
    response: { 200: answer, ...(unavailable && { 503: unavailable }) },
    messages: {
      ...(invalid.length > 0 && { 400: [...new Set(invalid)] }),
      ...(path && { 404: absent === undefined ? [] : [absenceOf(absent)] }),
    },
  }
}

const objectOf = (parameters: Readonly<Record<string, Parameter>>): z.ZodObject =>
  z.object(
    Object.fromEntries(Object.entries(parameters).map(([name, { schema }]) => [name, schema])),
  )
