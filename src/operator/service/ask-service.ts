import { z } from 'zod'
import { OperatorError, UnavailableError } from '../../ports/base-errors.ts'

/** No service answers there: it is not started, or elsewhere. */
export class ServiceAwayError extends UnavailableError {
  override name = 'ServiceAwayError'
  readonly part = 'service'
}

/** The service refused: its message says why. */
export class ServiceRefusedError extends OperatorError {
  override name = 'ServiceRefusedError'
  readonly status: number
  /** How long to wait before it is asked again; null: the service does not say. */
  readonly retryAfterSeconds: number | null

  constructor(status: number, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export interface ServiceAddress {
  /** Scheme, host and port. */
  address: string
  /** The token of an operator, for the routes that need one. */
  token?: string
  /** It is that of the configuration: a command may say how to start it. */
  isOwn?: boolean
  signal?: AbortSignal
}

export interface ServiceRequest<T> {
  method?: 'GET' | 'POST'
  path: string
  body?: object
  answer: z.ZodType<T>
}

const ANSWER_MS = 20_000
/** What is shown of a refusal that is not in the envelope. */
const MAX_SHOWN = 200
const Refusal = z.looseObject({ message: z.union([z.string(), z.array(z.string())]) })

/**
 * One request to the API.
 *
 * @throws ServiceAwayError @throws ServiceRefusedError
 */
export async function askService<T>(
  service: ServiceAddress,
  { method = 'GET', path, body, answer }: ServiceRequest<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(ANSWER_MS)
  const response = await openAnswer({ ...service, signal: anyOf(service.signal, timeout) }, path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  }).catch((error: unknown) => {
    if (!timeout.aborted || !(error instanceof ServiceAwayError)) throw error
    const effect = method === 'GET' ? '' : ': what was asked may have taken effect'
    const why = `no answer from ${service.address} within ${ANSWER_MS / 1_000} s${effect}`
    throw new ServiceAwayError(why, { cause: error })
  })
  const received: unknown = await response.json().catch(() => null)
  const parsed = answer.safeParse(received)
  if (parsed.success) return parsed.data
  throw unexpectedAnswer(service, path, response.status)
}

/** A success that this release of the service does not answer with: a proxy's page, another release. */
export const unexpectedAnswer = (
  { address }: ServiceAddress,
  path: string,
  status: number,
): ServiceRefusedError =>
  new ServiceRefusedError(
    status,
    `${address}${path} does not answer as this release of the service does`,
  )

/**
 * A success whose body is not read yet.
 *
 * @throws ServiceAwayError @throws ServiceRefusedError
 */
export async function openAnswer(
  service: ServiceAddress,
  path: string,
  { headers, ...init }: RequestInit = {},
): Promise<Response> {
  const { address, token, signal } = service
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(`${address}${path}`, {
    ...init,
    redirect: 'manual',
    headers: { ...headers, ...authorization },
    ...(signal && { signal }),
  }).catch((cause: unknown) => {
    throw new ServiceAwayError(whyAway(service, cause), { cause })
  })
  if (response.ok) return response
  const retryAfter = secondsOf(response.headers.get('retry-after'))
  throw new ServiceRefusedError(response.status, await refusalOf(response, address), retryAfter)
}

/** What a request that has no answer is reported as. */
export function whyAway({ address, isOwn }: ServiceAddress, error: unknown): string {
  // fetch itself says no more than "fetch failed".
  const { cause = error } = error instanceof Error ? error : {}
  const reason = cause instanceof Error ? cause.message || Reflect.get(cause, 'code') : cause
  const cure = isOwn
    ? 'start it first ("market start"), or set HOST and PORT to the values it uses'
    : ''
  return `cannot reach the service at ${address}: ${cure ? `${cure} (${reason})` : reason}`
}

/** The seconds of a Retry-After: seconds or a date (RFC 9110, 10.2.3); null: it is neither. */
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter)
  const ms = Date.parse(retryAfter) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, Math.ceil(ms / 1_000))
}

async function refusalOf(response: Response, address: string): Promise<string> {
  const text = await response.text().catch(() => '')
  const refusal = Refusal.safeParse(jsonOf(text))
  if (refusal.success) return [refusal.data.message].flat().join('; ')
  const shown = text.slice(0, MAX_SHOWN).trim()
  return `${address} answers with status ${response.status}${shown && `: ${shown}`}`
}

const anyOf = (...signals: (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== undefined))

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
