import { STATUS_CODES } from 'node:http'
import { ERROR_MEANINGS } from '../../schemas/error-meanings.ts'
import type { ErrorCode } from '../../schemas/errors.ts'
import { type JsonSchema, schemaOf } from './components.ts'
import { type HeaderName, headersOf, RATE_LIMIT_HEADERS } from './headers.ts'
import type { RouteFacts } from './operation.ts'
import { refusalsOf } from './refusals.ts'

/** One entry of an operation's `responses`. */
export interface Answer {
  description: string
  headers: Record<string, { $ref: string }>
  content?: Record<string, { schema: JsonSchema; example?: unknown }>
}

/** Every status that the route can answer: success, 304, and each refusal with its codes. */
export function answersOf(facts: RouteFacts): Record<string, Answer> {
  const limited = isLimited(facts) ? RATE_LIMIT_HEADERS : []
  const refused = refusalsOf(facts).map(([status, codes]) => [
    String(status),
    refusal(status, codes, limited),
  ])
  return {
    [facts.success.status]: success(facts, limited),
    ...(facts.method === 'GET' ? { 304: notModified(limited) } : {}),
    ...Object.fromEntries(refused),
  }
}

/** A client may ask such a route so many times a minute. */
export const isLimited = (facts: RouteFacts): boolean =>
  refusalsOf(facts).some(([, codes]) => codes.includes('MARKET_RATE_LIMITED'))

function success(facts: RouteFacts, limited: readonly HeaderName[]): Answer {
  const { method, querystring, schema, success } = facts
  const own: HeaderName[] = method === 'GET' ? ['ETag'] : ['IdempotentReplayed']
  if (querystring && 'cursor' in querystring.shape) own.push('Link')
  return {
    description: STATUS_CODES[success.status] ?? '',
    headers: headersOf(['RequestId', 'CacheControl', ...own, ...limited]),
    content: {
      'application/json': {
        schema: schemaOf(success.schema, 'output'),
        ...(schema.example && { example: schema.example.answer }),
      },
    },
  }
}

const notModified = (limited: readonly HeaderName[]): Answer => ({
  description: 'What the client has is still true',
  headers: headersOf(['RequestId', 'CacheControl', 'ETag', ...limited]),
})

function refusal(
  status: number,
  codes: readonly ErrorCode[],
  limited: readonly HeaderName[],
): Answer {
  const retry: HeaderName[] = status === 429 || status === 503 ? ['RetryAfter'] : []
  const challenge: HeaderName[] = status === 401 ? ['WwwAuthenticate'] : []
  return {
    description: codes.map((code) => `- \`${code}\`: ${ERROR_MEANINGS[code]}`).join('\n'),
    headers: headersOf(['RequestId', ...retry, ...challenge, ...limited]),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/ErrorResponse' },
            {
              required: ['requestId', 'code'],
              properties: {
                statusCode: { const: status },
                error: { const: STATUS_CODES[status] ?? '' },
                code: { enum: [...codes] },
              },
            },
          ],
        },
      },
    },
  }
}
