import kafkajs from 'kafkajs'
import {
  type AuthorizationServer,
  allowInsecureRequests,
  ClientSecretBasic,
  clientCredentialsGrantRequest,
  processClientCredentialsResponse,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi'
import type { Clock } from '../../../runtime/clock.ts'
import { KafkaRefusedError } from './errors.ts'

/** A client at a token endpoint. */
export interface OAuthClient {
  tokenUrl: string
  id: string
  secret: string
  scope?: string
}

/** A token for the brokers: a secret. */
interface BearerToken {
  value: string
}

const PATIENCE_MS = 10_000
/** A session whose token has 10 s left is authenticated again, but brokers take that once a second. */
const MIN_LEFT_SECONDS = 15

/**
 * Tokens for the brokers by the client credentials grant (RFC 6749, 4.4). Each serves all connections
 * for half of its life, and none that would have to ask again at once.
 *
 * Given tokens are rejected with `KafkaRefusedError` if the endpoint refuses this client, and with a
 * `KafkaJSError`, which is retried, while it cannot be asked.
 */
export function oauthTokens(
  { tokenUrl, id, secret, scope }: OAuthClient,
  clock: Pick<Clock, 'monotonic'>,
): () => Promise<BearerToken> {
  const server: AuthorizationServer = { issuer: tokenUrl, token_endpoint: tokenUrl }
  const client = { client_id: id }
  let token: Promise<{ value: string; untilMs: number }> | null = null

  const fetchToken = async () => {
    try {
      const response = await clientCredentialsGrantRequest(
        server,
        client,
        ClientSecretBasic(secret),
        scope === undefined ? {} : { scope },
        {
          signal: AbortSignal.timeout(PATIENCE_MS),
          [allowInsecureRequests]: tokenUrl.startsWith('http:'),
        },
      )
      const { access_token: value, expires_in: seconds = 0 } =
        await processClientCredentialsResponse(server, client, response)
      return { value, untilMs: clock.monotonic() + 1_000 * servesFor(seconds) }
    } catch (error) {
      throw failureOf(tokenUrl, error)
    }
  }

  return async () => {
    const last = token
    const known = await last?.catch(() => null)
    if (known && known.untilMs > clock.monotonic()) return { value: known.value }
    // Another call may have asked meanwhile.
    const next = token !== last && token ? token : fetchToken()
    token = next
    return { value: (await next).value }
  }
}

/** Seconds for which a token of this life is given out again. */
const servesFor = (lifeSeconds: number): number =>
  Math.max(0, Math.min(lifeSeconds / 2, lifeSeconds - MIN_LEFT_SECONDS))

/** Without its cause: what was answered may be a secret. */
function failureOf(tokenUrl: string, error: unknown): Error {
  if (isRefusal(error)) {
    return new KafkaRefusedError(
      `${tokenUrl} gives this client no token (${error.status}): set KAFKA_OAUTH_CLIENT_ID, KAFKA_OAUTH_CLIENT_SECRET and KAFKA_OAUTH_SCOPE`,
    )
  }
  return new kafkajs.KafkaJSError(`${tokenUrl} gave no token: ${messageOf(error)}`)
}

/** A client error, which another attempt does not change. */
const isRefusal = (error: unknown): error is ResponseBodyError | WWWAuthenticateChallengeError =>
  (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) &&
  error.status < 500

/** `fetch` says why only in the code of its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = (error.cause ?? {}) as { code?: unknown }
  return code === undefined ? error.message : `${error.message} (${String(code)})`
}
