import { STATUS_CODES } from 'node:http'
import { KEYS_UNREAD } from '../../gateway/customers/customer-keys.ts'
import { ERROR_MEANINGS } from '../../schemas/api/error-meanings.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import { InternalError, MessageResponse } from '../../schemas/api/message-errors.ts'
import { NO_CUSTOMER } from '../clients/customers.ts'
import { schemaOf } from './components.ts'
import type { HeaderName } from './headers.ts'
import type { JsonSchema } from './json-schemas.ts'
import type { DescribedAnswer, Messages, RouteFacts } from './operation.ts'
import { refusalsOf } from './refusals.ts'

/** One body that a failure may have. */
export interface FailureBody {
  description: string
  schema: JsonSchema
  headers: readonly HeaderName[]
}

/** By status: several bodies where the route and the server answer in different shapes. */
export function failuresOf(facts: RouteFacts): ReadonlyMap<number, readonly FailureBody[]> {
  const { messages } = facts.schema
  const bodies: (readonly [number, FailureBody])[] = [
    ...(messages ? messageBodies(messages) : []),
    ...(messages && isCounted(facts) ? [WRONG_KEY, TOO_MANY] : []),
    ...(messages && isCounted(facts) && !hasOwn503(facts) ? [KEYS_NOT_READ] : []),
    ...refusalsOf(facts).map(([status, codes]) => [status, refusal(status, codes)] as const),
    ...facts.others.map((other) => [other.status, ownBody(other)] as const),
  ]
  const byStatus = new Map<number, FailureBody[]>()
  for (const [status, body] of bodies) byStatus.set(status, [...(byStatus.get(status) ?? []), body])
  return byStatus
}

/** The envelope of the market, with any of these codes. */
function refusal(status: number, codes: readonly ErrorCode[]): FailureBody {
  const retry: HeaderName[] = status === 429 || status === 503 ? ['RetryAfter'] : []
  const challenge: HeaderName[] = status === 401 ? ['WwwAuthenticate'] : []
  const length: HeaderName[] = status === 416 ? ['WholeLength'] : []
  return {
    description: listed(codes.map((code) => `\`${code}\`: ${ERROR_MEANINGS[code]}`)),
    headers: [...retry, ...challenge, ...length],
    schema: {
      allOf: [
        { $ref: '#/components/schemas/ErrorResponse' },
        {
          required: ['requestId', 'code'],
          properties: { ...statusFields(status), code: { enum: [...codes] } },
        },
      ],
    },
  }
}

/** Messages by status, and the one for unforeseen errors. */
function messageBodies(messages: Messages): (readonly [number, FailureBody])[] {
  const foreseen = Object.entries(messages).map(([code, texts]): [number, FailureBody] => {
    const status = Number(code)
    const described = texts.map(
      (text): DescribedText => ({ line: `\`${text}\``, schema: { const: text } }),
    )
    return [status, messageBody(status, status === 404 ? [...described, NO_PATH] : described)]
  })
  return [...foreseen, [500, ownBody({ status: 500, schema: InternalError })]]
}

/** One message, or one kind of them. */
interface DescribedText {
  line: string
  schema: JsonSchema
}

/** A parameter may make the path invalid. */
const NO_PATH: DescribedText = {
  line: '`Cannot GET …`: the path does not exist',
  schema: { type: 'string', pattern: '^Cannot GET /' },
}

const messageBody = (status: number, described: readonly DescribedText[]): FailureBody => ({
  description: listed(described.map(({ line }) => line)),
  headers: status === 401 ? ['WwwAuthenticate'] : [],
  schema: {
    allOf: [
      schemaOf(MessageResponse, 'output'),
      {
        properties: {
          ...statusFields(status),
          message: { anyOf: described.map(({ schema }) => schema) },
        },
      },
    ],
  },
})

const isCounted = ({ config }: RouteFacts): boolean => !config.probe && !config.uncounted

const hasOwn503 = ({ others }: RouteFacts): boolean => others.some(({ status }) => status === 503)

const ownBody = ({ status, schema }: DescribedAnswer): FailureBody => ({
  description: schema.description ?? STATUS_CODES[status] ?? '',
  headers: [],
  schema: schemaOf(schema, 'output'),
})

const statusFields = (status: number): Record<string, JsonSchema> => ({
  statusCode: { const: status },
  error: { const: STATUS_CODES[status] ?? '' },
})

const listed = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')

const WRONG_KEY: readonly [number, FailureBody] = [
  401,
  messageBody(401, [
    {
      line: `\`${NO_CUSTOMER}\``,
      schema: { type: 'string', pattern: '^Authorization: the key is not valid' },
    },
  ]),
]

const KEYS_NOT_READ: readonly [number, FailureBody] = [
  503,
  {
    ...messageBody(503, [
      {
        line: `\`${KEYS_UNREAD}\`: the service is starting`,
        schema: { type: 'string', pattern: `^${KEYS_UNREAD}$` },
      },
    ]),
    headers: ['RetryAfter'],
  },
]

const TOO_MANY: readonly [number, FailureBody] = [
  429,
  {
    ...messageBody(429, [
      {
        line: '`at most … requests a minute to this route`: the client, or its network, sends too many requests',
        schema: { type: 'string', pattern: '^at most [0-9]+ requests a minute to this route' },
      },
    ]),
    headers: ['RetryAfter'],
  },
]
