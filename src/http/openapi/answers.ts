import { STATUS_CODES } from 'node:http'
import { schemaOf } from './components.ts'
import { type FailureBody, failuresOf } from './failures.ts'
import { type HeaderName, headersOf, RATE_LIMIT_HEADERS } from './headers.ts'
import type { JsonSchema } from './json-schemas.ts'
import type { RouteFacts } from './operation.ts'
import { refusalsOf } from './refusals.ts'

/** One entry of an operation's `responses`. */
export interface AnswerSpec {
  description: string
  headers: Record<string, { $ref: string }>
  content?: Record<string, { schema: JsonSchema; example?: unknown }>
}

/** Every status that the route can answer: success, 304, and each failure with its bodies. */
export function answersOf(facts: RouteFacts): Record<string, AnswerSpec> {
  const limited = isLimited(facts) ? RATE_LIMIT_HEADERS : []
  return {
    [facts.success.status]: success(facts, limited),
    ...(facts.schema.hasRanges ? { 206: part(facts, limited) } : {}),
    ...(facts.method === 'GET' ? { 304: notModified(facts, limited) } : {}),
    ...Object.fromEntries(
      [...failuresOf(facts)].map(([status, bodies]) => [status, failure(status, bodies, limited)]),
    ),
  }
}

/** Does the route limit a client's requests per minute? */
export const isLimited = (facts: RouteFacts): boolean =>
  refusalsOf(facts).some(([, codes]) => codes.includes('MARKET_RATE_LIMITED'))

function success(facts: RouteFacts, limited: readonly HeaderName[]): AnswerSpec {
  const { querystring, schema, success, example } = facts
  const own = [...validatorsOf(facts)]
  if (querystring && 'cursor' in querystring.shape) own.push('Link')
  return {
    description: STATUS_CODES[success.status] ?? '',
    headers: headersOf(['RequestId', 'CacheControl', ...own, ...limited]),
    content: {
      [schema.mediaType ?? JSON_TYPE]: {
        schema: schemaOf(success.schema, 'output'),
        ...(example && { example: example.answer }),
      },
    },
  }
}

/** A part has the media type of the whole; the request says which bytes it is. */
function part(facts: RouteFacts, limited: readonly HeaderName[]): AnswerSpec {
  const { schema, success } = facts
  return {
    description: 'The range that was asked for',
    headers: headersOf([
      'RequestId',
      'CacheControl',
      ...validatorsOf(facts),
      'ContentRange',
      ...limited,
    ]),
    content: {
      [schema.mediaType ?? JSON_TYPE]: { schema: schemaOf(success.schema, 'output') },
    },
  }
}

const notModified = (facts: RouteFacts, limited: readonly HeaderName[]): AnswerSpec => ({
  description: 'The client’s stored answer is still current',
  headers: headersOf(['RequestId', 'CacheControl', ...validatorsOf(facts), ...limited]),
})

function validatorsOf({ method, schema, config }: RouteFacts): readonly HeaderName[] {
  if (schema.answerHeaders) return schema.answerHeaders
  if (config.keepsNothing || config.repeatsItself) return []
  if (method !== 'GET') return ['IdempotentReplayed']
  return schema.hasRanges ? ['ETag', 'AcceptRanges'] : ['ETag']
}

const JSON_TYPE = 'application/json'

function failure(
  status: number,
  bodies: readonly FailureBody[],
  limited: readonly HeaderName[],
): AnswerSpec {
  const schemas = bodies.map(({ schema }) => schema)
  const own: HeaderName[] = [
    'RequestId',
    'Help',
    ...(status === 400 ? (['ErrorParam'] as const) : []),
  ]
  const [only = {}] = schemas
  return {
    description: bodies.map(({ description }) => description).join('\n'),
    headers: headersOf([...own, ...bodies.flatMap(({ headers }) => headers), ...limited]),
    content: {
      [JSON_TYPE]: { schema: schemas.length > 1 ? { anyOf: schemas } : only },
    },
  }
}
