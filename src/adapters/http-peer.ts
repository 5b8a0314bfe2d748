import { errors, Pool } from 'undici'
import type { PeerAgreement, PeerAnswer, PeerTrouble } from '../ports/folds/peer-agreement.ts'

export interface HttpPeerSettings {
  /** The base URL of the other deployment: its agreement route is below it. */
  url: string
  /** For a whole exchange, milliseconds. */
  timeoutMs: number
}

export interface HttpPeer extends PeerAgreement {
  close(): Promise<void>
}

/** A larger answer counts as none (pairing spec 8). */
const MAX_BODY_BYTES = 65_536
/** As many as fetches in flight at once. */
const CONNECTIONS = 2

/**
 * The agreement route of another deployment. No redirects, no compression: an answer is at most
 * 65,536 bytes on the wire, and no more of it is read.
 */
export function openHttpPeer({ url, timeoutMs }: HttpPeerSettings): HttpPeer {
  const { origin, pathname } = new URL(url)
  const base = pathname.replace(/\/+$/, '')
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: MAX_BODY_BYTES,
  })

  async function request(height: number, signal: AbortSignal): Promise<PeerAnswer> {
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: `${base}/pairing/agreement/${height}`,
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      signal,
    })
    if (statusCode < 200 || statusCode > 299) {
      // Read to its end, so that the connection can be reused: the content is irrelevant.
      await body.dump({ limit: MAX_BODY_BYTES, signal }).catch(() => undefined)
      return failed('peer_status', `HTTP ${statusCode}`)
    }
    // A body that is compressed nevertheless is not JSON.
    const bytes = await body.bytes()
    return bytes.length === 0
      ? failed('peer_empty', `HTTP ${statusCode} without a body`)
      : { did: 'answer', body: bytes }
  }

  return {
    async fetch(height) {
      const signal = AbortSignal.timeout(timeoutMs)
      for (let reconnected = false; ; reconnected = true) {
        try {
          return await request(height, signal)
        } catch (error) {
          // An idle connection was closed meanwhile: retried once, on a new one.
          const wasCut = error instanceof errors.SocketError
          if (!wasCut || reconnected || signal.aborted) return troubleOf(error, signal)
        }
      }
    },
    close: () => pool.destroy(),
  }
}

function troubleOf(error: unknown, signal: AbortSignal): PeerAnswer {
  const detail = error instanceof Error ? error.message : String(error)
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return failed('peer_too_large', `more than ${MAX_BODY_BYTES} bytes`)
  const isLate =
    signal.aborted ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError
  return failed(isLate ? 'peer_timeout' : 'peer_unreachable', detail)
}

const failed = (trouble: PeerTrouble, detail: string): PeerAnswer => ({
  did: 'fail',
  trouble,
  detail,
})
