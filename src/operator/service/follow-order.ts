import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { systemClock } from '../../adapters/embedded/system-clock.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import { StreamChange, StreamSnapshot } from '../../schemas/api/stream.ts'
import type { OrderSummary } from '../../schemas/order.ts'
import type { OrderState } from '../../schemas/scalars.ts'
import {
  openAnswer,
  type ServiceAddress,
  ServiceAwayError,
  ServiceRefusedError,
} from './ask-service.ts'

/** What became of a followed order: its state now, or a change of it. */
export interface FollowedState {
  at: string
  /** Number of the change; null: the state as it was found. */
  seq: number | null
  state: OrderState
  reason: string
}

/** States that end the wait. A reorganisation may still take back a spend. */
const FINAL: ReadonlySet<OrderState> = new Set<OrderState>([
  'SETTLED',
  'SPENT',
  'REJECTED',
  'WITHDRAWN',
])
/** The service says something every 10 s. */
const SILENT_MS = 30_000
const WAIT = { firstMs: 500, lastMs: 10_000 }
/** Characters of one event: far above one order. */
const MAX_EVENT_CHARACTERS = 4 * 2 ** 20
/** Refusals that a later attempt may not meet. */
const MAY_PASS: ReadonlySet<number> = new Set([429, 502, 503, 504])

export interface Following {
  signal: AbortSignal
  /** The connection is lost, and another one is tried. */
  onLost(why: string): void
}

/**
 * Follows an order over the stream of the API until a final state, over connections that resume one
 * after the other; a service that is away meanwhile is waited for. Ends early when the signal aborts.
 *
 * @throws ServiceAwayError it was never reached @throws ServiceRefusedError
 */
export async function* followOrder(
  service: ServiceAddress,
  orderId: string,
  { signal, onLost }: Following,
): AsyncGenerator<FollowedState, void> {
  const place: StreamPlace = { id: null, state: null }
  let isKnown = false
  let failures = 0
  for (;;) {
    try {
      for await (const event of eventsOf(service, orderId, place.id, signal)) {
        isKnown = true
        failures = 0
        if (event.event === 'resync-required') {
          place.id = null
          break
        }
        if (event.id !== undefined) place.id = event.id
        const found = stateOf(event)
        // A snapshot after a lost place repeats the same state.
        if (!found || (found.seq === null && found.state === place.state)) continue
        place.state = found.state
        yield found
        if (FINAL.has(found.state)) return
      }
    } catch (error) {
      if (signal.aborted) return
      const isRefusal = error instanceof ServiceRefusedError && !MAY_PASS.has(error.status)
      const isStale = isRefusal && place.id !== null && error.status === 400
      if (!isKnown || (isRefusal && !isStale)) throw error
      if (isStale) place.id = null
      onLost(error instanceof Error ? error.message : String(error))
      failures += 1
    }
    const wait = backoffMs(Math.max(0, failures - 1), WAIT)
    await systemClock.sleep(wait, signal)
    if (signal.aborted) return
  }
}

interface StreamPlace {
  /** The id of the last event. */
  id: string | null
  state: OrderState | null
}

function stateOf({ event, data }: EventSourceMessage): FollowedState | null {
  if (event === 'snapshot') {
    const [order] = StreamSnapshot.parse(JSON.parse(data)).orders
    return order ? { ...shownAs(order), seq: null } : null
  }
  if (event !== 'change') return null
  const { entry, order, seq, observedAt } = StreamChange.parse(JSON.parse(data))
  if (entry) return { at: observedAt, seq, state: entry.toState, reason: entry.reason }
  return order && FINAL.has(order.state) ? { ...shownAs(order), seq } : null
}

const shownAs = ({ updatedAt, state, validation }: OrderSummary): Omit<FollowedState, 'seq'> => ({
  at: updatedAt,
  state,
  reason: validation.reasons.join(', '),
})

async function* eventsOf(
  service: ServiceAddress,
  orderId: string,
  after: string | null,
  signal: AbortSignal,
): AsyncGenerator<EventSourceMessage, void> {
  const silence = new AbortController()
  const isSilent = new Error(`it said nothing for ${SILENT_MS / 1_000} s`)
  const timer = setTimeout(() => silence.abort(isSilent), SILENT_MS)
  const path = `/api/market/activity/stream?${new URLSearchParams({ orderId })}`
  try {
    const response = await openAnswer(
      { ...service, signal: AbortSignal.any([signal, silence.signal]) },
      path,
      after === null ? {} : { headers: { 'last-event-id': after } },
    )
    const events: EventSourceMessage[] = []
    const parser = createParser({
      onEvent: (event) => events.push(event),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') throw error
      },
      maxBufferSize: MAX_EVENT_CHARACTERS,
    })
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      timer.refresh()
      parser.feed(decoder.decode(bytes, { stream: true }))
      yield* events.splice(0)
    }
  } catch (error) {
    if (error instanceof ServiceAwayError || error instanceof ServiceRefusedError) throw error
    throw new ServiceAwayError(
      silence.signal.aborted ? 'the service stopped sending' : 'the connection is lost',
      { cause: error },
    )
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}
