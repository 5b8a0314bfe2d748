import answers from './examples/answers.json' with { type: 'json' }
import {
  type ExampleRequest,
  MARKET_REQUESTS,
  MESSAGE_REQUESTS,
  UNRECORDED_REQUESTS,
} from './examples/requests.ts'

/** One request for each operation, by its id, in the order in which `npm run docs` sends them. */
export const EXAMPLE_REQUESTS: Readonly<Record<string, ExampleRequest>> = {
  ...MARKET_REQUESTS,
  ...MESSAGE_REQUESTS,
}

/**
 * A stream, whose answer has no end; what operators are answered as the public is, with nothing
 * withheld; places in the log, which depend on how often the service looked around; dead letters,
 * which a new devnet has none of; and keys, which are made at random. A batch, a
 * file and content are no JSON.
 */
export const WITHOUT_EXAMPLE: ReadonlySet<string> = new Set([
  'streamActivity',
  'listOrderVersionsAsOperator',
  'readBundleAsOperator',
  'readOperations',
  'createKey',
  'importBatch',
  ...Object.keys(UNRECORDED_REQUESTS),
  'rotateKey',
  'revokeKey',
])

export interface OperationExample extends ExampleRequest {
  /** The body of a success; absent until `npm run docs` has recorded it. */
  answer?: unknown
}

const ANSWERS: Readonly<Record<string, unknown>> = answers

/** The example of an operation; null if no request is written for it. */
export function exampleOf(operationId: string): OperationExample | null {
  const request = EXAMPLE_REQUESTS[operationId] ?? UNRECORDED_REQUESTS[operationId]
  return request ? { ...request, answer: ANSWERS[operationId] } : null
}
