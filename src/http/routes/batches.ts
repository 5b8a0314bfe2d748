import { setMaxListeners } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import PQueue from 'p-queue'
import { Counter, type Registry } from 'prom-client'
import { importOrder } from '../../gateway/intake/import-order.ts'
import { RefusalError } from '../../gateway/refusal.ts'
import { UnavailableError } from '../../ports/base-errors.ts'
import type { Clock } from '../../runtime/clock.ts'
import { ImportRequest } from '../../schemas/api/api.ts'
import type { BatchLine } from '../../schemas/api/batch.ts'
import { envelope, httpRefusalOf } from '../answers/envelope.ts'
import { BatchWorker } from '../batches/batch-answer.ts'
import { NDJSON, readBatchBodies, requireNdjson } from '../batches/batch-body.ts'
import { BatchPlaces } from '../batches/batch-places.ts'
import { accountOfRequest, NO_CUSTOMER } from '../clients/customers.ts'
import { type KeyLimits, limitedCustomer } from '../limits/key-limits.ts'
import type { RefusalThrottle } from '../limits/refusal-throttle.ts'
import { BATCH_OPERATIONS } from '../operations/batches.ts'
import { readJson } from '../plugins/json-body.ts'
import { validatorCompiler } from '../query/validation.ts'
import { BODY_BYTES } from '../requests/body-bytes.ts'
import { clientSignal, requestSignal } from '../requests/request-signal.ts'
import { whenOver } from '../requests/when-over.ts'
import { BASE, type RouteContext } from './context.ts'

const PLACES = { perCustomer: 4, inAll: 16 }
/** No line begins later than this after its batch, milliseconds: */
const BEGIN_MS = 60_000
/** and no answer is read for longer than this. */
const ANSWER_MS = 120_000
const RETRY_SECONDS = 1

export interface BatchParts {
  keys: KeyLimits
  throttle: RefusalThrottle
  registry: Registry
  /** Is the key of a request still accepted? Asked before each line of its batch. */
  isAccepted(request: FastifyRequest): boolean
}

/** Imports of many orders by customers (ADR 105). */
export function batchRoutes(
  app: FastifyInstance,
  context: RouteContext,
  { keys, throttle, registry, isAccepted }: BatchParts,
): void {
  const places = new BatchPlaces(PLACES)
  const worker = new BatchWorker()
  const counted = lineCounter(registry)
  const requireCustomer = async (request: FastifyRequest, reply: FastifyReply) => {
    const customer = limitedCustomer(request)
    if (customer) return void whenOver(reply, places.take(customer.name))
    await throttle.delay()
    reply.header('www-authenticate', 'Bearer realm="market customers"')
    throw new RefusalError('UNAUTHORIZED', NEEDS_KEY)
  }

  readBatchBodies(app)
  app.post(
    `${BASE}/orders/import/batch`,
    {
      // A stranger is counted as an import, then refused; both before the body is read.
      onRequest: [context.limiters.import, requireCustomer, requireNdjson],
      bodyLimit: BODY_BYTES.batch,
      config: { isBatch: true, keepsNothing: true },
      schema: BATCH_OPERATIONS.importBatch,
      // Lines are checked one by one.
      validatorCompiler: () => (value) => ({ value }),
    },
    (request, reply) => {
      const signal = requestSignal(reply, context.signal)
      // Lines in progress.
      setMaxListeners(0, signal)
      const answerLine = lineImporter({ request, context, keys, isAccepted, signal })
      const tier = limitedCustomer(request)?.tier.name ?? ''
      void endLate(reply, context.gateway.clock)
      const answers = worker.run({
        lines: request.body as Buffer[],
        answer: async (line, index) => {
          const answered = await answerLine(line, index + 1)
          counted.inc({ tier, result: answered.status === 201 ? 'taken' : 'refused' })
          return JSON.stringify(answered)
        },
        hold: (bytes) => reply.holdUnread(bytes),
        // A shutdown ends the waits of lines, not their answers.
        signal: clientSignal(reply),
      })
      return reply.code(200).type(NDJSON).header('x-accel-buffering', 'no').send(answers)
    },
  )
}

/** Ends an answer that is not read in time. */
async function endLate(reply: FastifyReply, clock: Pick<Clock, 'sleep'>): Promise<void> {
  const over = new AbortController()
  whenOver(reply, () => over.abort())
  await clock.sleep(ANSWER_MS, over.signal)
  if (!over.signal.aborted) reply.raw.destroy()
}

const NEEDS_KEY =
  'Authorization: must be Bearer and the key of a customer, of a tier that is configured'

interface Importing extends Pick<BatchParts, 'keys' | 'isAccepted'> {
  request: FastifyRequest
  context: RouteContext
  signal: AbortSignal
}

/** Answers each line as the route of single imports does. */
function lineImporter({ request, context, keys, isAccepted, signal }: Importing) {
  const { gateway, signal: ending } = context
  const begun = gateway.clock.monotonic()
  const account = accountOfRequest(request)
  // One after the other: the first lines are those that a limit leaves.
  const counting = new PQueue({ concurrency: 1 })
  const imported = async (line: Buffer) => {
    if (ending.aborted) throw new RefusalError('SHUTTING_DOWN', 'this process is shutting down')
    if (gateway.clock.monotonic() - begun > BEGIN_MS) throw notBegun()
    if (!isAccepted(request)) throw new RefusalError('UNAUTHORIZED', NO_CUSTOMER)
    await counting.add(() => keys.take(request, null))
    await gateway.clock.turn()
    if (line.length > BODY_BYTES.any) throw lineTooLong()
    return await importOrder(gateway, importOf(line), account, signal)
  }
  return async (line: Buffer, number: number): Promise<BatchLine> => {
    try {
      const body = await imported(line)
      return { line: number, status: 201, retryAfterSeconds: null, body }
    } catch (error) {
      const refusal = httpRefusalOf(error)
      noteFault(request, refusal, number)
      const { statusCode: status, retryAfterSeconds } = refusal
      return { line: number, status, retryAfterSeconds, body: envelope(refusal, request.id) }
    }
  }
}

const validate = validatorCompiler({
  schema: ImportRequest,
  method: 'POST',
  url: '',
  httpPart: 'body',
})

/** @throws RefusalError BAD_REQUEST, VALIDATION_FAILED: like the body of a single import */
function importOf(line: Buffer): ImportRequest {
  const checked = validate(line.length === 0 ? null : readJson(line)) as
    | { value: ImportRequest }
    | { error: RefusalError }
  if ('error' in checked) throw checked.error
  return checked.value
}

/** As for a request: a part that is away has a line of its own in the log. */
function noteFault({ log }: FastifyRequest, refusal: RefusalError, line: number): void {
  if (!refusal.cause || refusal.statusCode < 500) return
  const level = UnavailableError.outsidePartOf(refusal.cause) ? 'debug' : 'error'
  log[level]({ err: refusal.cause, line }, refusal.message)
}

const lineTooLong = (): RefusalError =>
  new RefusalError('PAYLOAD_TOO_LARGE', `the line is larger than ${BODY_BYTES.any} bytes`)

const notBegun = (): RefusalError =>
  new RefusalError('OVERLOADED', 'the batch took too long: send this line again', {
    retryAfterSeconds: RETRY_SECONDS,
  })

const lineCounter = (registry: Registry): Counter<'tier' | 'result'> =>
  new Counter({
    name: 'market_customer_lines_total',
    help: 'Lines of batches by tier and result: taken, or refused.',
    labelNames: ['tier', 'result'],
    registers: [registry],
  })
