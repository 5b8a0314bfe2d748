import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, errors } from 'undici'
import { mayReach } from '../../domain/webhooks/public-address.ts'
import type {
  WebhookAnswer,
  WebhookPost,
  WebhookTransport,
  WebhookTrouble,
} from '../../ports/webhooks/webhook-transport.ts'
import type { Clock } from '../../runtime/clock.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import { MAX_WEBHOOKS } from '../../schemas/webhooks/webhook-records.ts'

export interface HttpWebhooksSettings {
  clock: Clock
  /** Addresses of this machine are allowed: for tests and the devnet. */
  loopback: boolean
  limits?: WebhookLimits
  /** Every address of a name; by default the system's. */
  resolve?: typeof lookup
}

/** Milliseconds, and bytes. */
export interface WebhookLimits {
  connect: number
  /** From the request to the end of the headers of the answer. */
  headers: number
  /** For everything except the body of the answer. */
  whole: number
  /** For the body of the answer, whose content is ignored. */
  body: number
  bodyBytes: number
}

const LIMITS: WebhookLimits = {
  connect: 5_000,
  headers: 10_000,
  whole: 15_000,
  body: 2_000,
  bodyBytes: 16_384,
}
/** Connections to one endpoint: as many as deliveries at once. */
const CONNECTIONS = 4
const KEPT_IDLE_MS = 4_000
const MAX_HEADER_BYTES = 16_384

export interface HttpWebhooks extends WebhookTransport {
  close(): Promise<void>
}

/** The name resolves to, or the URL contains, an address that nothing may be sent to. */
class AddressNotAllowedError extends Error {
  override name = 'AddressNotAllowedError'
}

/**
 * Each connection goes to the address that was checked when the name was resolved for this
 * connection: what the name resolves to later does not matter. A name with any address that is not
 * allowed is refused.
 */
export function openHttpWebhooks({
  clock,
  loopback,
  limits = LIMITS,
  resolve = lookup,
}: HttpWebhooksSettings): HttpWebhooks {
  const checked: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const first = addresses?.[0]
      if (error || !first) return callback(error ?? new Error('no address'), '')
      if (!addresses.every(({ address }) => mayReach(address, loopback)))
        return callback(new AddressNotAllowedError(hostname), '')
      const { address, family }: LookupAddress = first
      return options.all ? callback(null, addresses) : callback(null, address, family)
    })
  }
  const connect = buildConnector({ timeout: limits.connect, lookup: checked })
  const openAgent = () =>
    new Agent({
      // Node looks nothing up for an address.
      connect: (options, callback) => {
        const host = options.hostname.replace(/^\[|\]$/g, '')
        if (isIP(host) !== 0 && !mayReach(host, loopback))
          callback(new AddressNotAllowedError(host), null)
        else connect(options, callback)
      },
      connections: CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: KEPT_IDLE_MS,
      headersTimeout: limits.headers,
      bodyTimeout: limits.body,
      maxHeaderSize: MAX_HEADER_BYTES,
    })

  const agents = new AgentsByWebhook(openAgent)

  async function send(agent: Agent, { url, headers, body }: WebhookPost, deadline: AbortSignal) {
    const { origin, pathname, search } = new URL(url)
    const path = pathname + search
    const request = { origin, path, method: 'POST', headers, body, signal: deadline } as const
    const answer = await agent.request(request)
    answer.body.on('error', () => {})
    const retryAfter = answer.headers['retry-after']
    return {
      answer: {
        did: 'answer',
        status: answer.statusCode,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
      } satisfies WebhookAnswer,
      body: answer.body,
    }
  }

  return {
    post: (request, signal) => agents.use(request.webhook, (agent) => post(agent, request, signal)),
    close: () => agents.close(),
  }

  async function post(
    agent: Agent,
    request: WebhookPost,
    signal: AbortSignal,
  ): Promise<WebhookAnswer> {
    for (let reconnected = false; ; reconnected = true) {
      try {
        return await withDeadline(clock, limits.whole, signal, async (deadline) => {
          const { answer, body } = await send(agent, request, deadline)
          // A short, quick body is read to its end, so that the connection can be used again.
          await withDeadline(clock, limits.body, deadline, (late) =>
            body.dump({ limit: limits.bodyBytes, signal: late }),
          ).catch(() => body.destroy())
          return answer
        })
      } catch (error) {
        // An idle connection was closed meanwhile: retried once, on a new one.
        const wasCut = error instanceof errors.SocketError
        if (!wasCut || reconnected || signal.aborted)
          return { did: 'fail', trouble: troubleOf(error) }
      }
    }
  }
}

const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/

function troubleOf(error: unknown): WebhookTrouble {
  if (error instanceof AddressNotAllowedError) return 'address_not_allowed'
  const { name = '', code = '' } = error as { name?: string; code?: string }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_unknown'
  if (TLS_CODE.test(code)) return 'tls_failed'
  return name.includes('Timeout') || code === 'ETIMEDOUT' ? 'timeout' : 'unreachable'
}

interface Used {
  agent: Agent
  /** Posts in progress. */
  posts: number
}

/** The connections of each webhook, for at most `MAX_WEBHOOKS` idle webhooks. */
class AgentsByWebhook {
  readonly #open: () => Agent
  /** Least recently used first. */
  readonly #agents = new Map<string, Used>()

  constructor(open: () => Agent) {
    this.#open = open
  }

  /** Given back however the work ends. */
  async use<T>(webhook: string, work: (agent: Agent) => Promise<T>): Promise<T> {
    const used = this.#agents.get(webhook) ?? { agent: this.#open(), posts: 0 }
    this.#agents.delete(webhook)
    this.#agents.set(webhook, used)
    used.posts += 1
    try {
      return await work(used.agent)
    } finally {
      used.posts -= 1
      this.#closeOldest()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map(({ agent }) => agent.destroy()))
    this.#agents.clear()
  }

  #closeOldest(): void {
    for (const [webhook, { agent, posts }] of this.#agents) {
      if (this.#agents.size <= MAX_WEBHOOKS) return
      if (posts > 0) continue
      this.#agents.delete(webhook)
      void agent.destroy()
    }
  }
}
