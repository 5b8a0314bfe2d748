import type {
  WebhookAnswer,
  WebhookPost,
  WebhookTransport,
} from '../../src/ports/webhooks/webhook-transport.ts'
import type { Process } from './process.ts'
import type { Scheduler } from './scheduler.ts'

/** What somebody's endpoint may be like. */
export type EndpointTrouble =
  | 'away'
  | 'hangs'
  | 'answers 500'
  | 'answers slowly'
  | 'asks for time'
  | 'redirects'
  | 'is gone'

/** How long a sender waits for an answer. */
const PATIENCE_MS = 15_000

/** The endpoint of somebody else, who keeps what arrives whatever becomes of the answer. */
export class SimEndpoint {
  trouble: EndpointTrouble | null = null
  readonly #scheduler: Scheduler
  readonly #arrived: (post: WebhookPost) => void

  constructor(scheduler: Scheduler, arrived: (post: WebhookPost) => void) {
    this.#scheduler = scheduler
    this.#arrived = arrived
  }

  /** Takes a request, or not; the answer, and after how long it comes, milliseconds. */
  take(post: WebhookPost): { answer: WebhookAnswer; afterMs: number } {
    const { trouble } = this
    const { dice } = this.#scheduler
    // Whoever hangs or fails may have kept it before.
    const isKept =
      trouble === null ||
      trouble === 'answers slowly' ||
      ((trouble === 'hangs' || trouble === 'answers 500') && dice.chance(0.3))
    if (isKept) this.#arrived(post)
    switch (trouble) {
      case null:
        return { answer: answered(dice.chance(0.5) ? 200 : 204), afterMs: 0 }
      case 'answers slowly':
        return { answer: answered(200), afterMs: dice.below(PATIENCE_MS) }
      case 'away':
        return { answer: { did: 'fail', trouble: 'unreachable' }, afterMs: 0 }
      case 'hangs':
        return { answer: { did: 'fail', trouble: 'timeout' }, afterMs: PATIENCE_MS }
      case 'answers 500':
        return { answer: answered(500), afterMs: 0 }
      case 'asks for time':
        return { answer: answered(429, String(dice.below(120))), afterMs: 0 }
      case 'redirects':
        return { answer: answered(307), afterMs: 0 }
      case 'is gone':
        return { answer: answered(410), afterMs: 0 }
    }
  }
}

const answered = (status: number, retryAfter: string | null = null): WebhookAnswer => ({
  did: 'answer',
  status,
  retryAfter,
})

const LOST: WebhookAnswer = { did: 'fail', trouble: 'timeout' }

/** The network as one process has it: a request may be late, lost, or answered to nobody. */
export const transportOf = (endpoint: SimEndpoint, process: Process): WebhookTransport => ({
  async post(request, signal) {
    const over = new Promise<null>((resolve) => {
      if (signal.aborted) resolve(null)
      else signal.addEventListener('abort', () => resolve(null), { once: true })
    })
    const posting = process
      .call({
        kind: 'write',
        name: 'webhook post',
        effect: () => endpoint.take(request),
        trouble: () => new Error('simulated: no answer of the endpoint'),
      })
      .catch(() => null)
    const taken = await Promise.race([posting, over])
    if (taken === null) return LOST
    if (taken.afterMs > 0) await process.clock.sleep(taken.afterMs, signal)
    return taken.answer
  },
})
