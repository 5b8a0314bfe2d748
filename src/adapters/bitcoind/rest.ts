import { type Dispatcher, Pool } from 'undici'
import { HEADER_BYTES } from '../../domain/chain/byte-cursor.ts'
import { hashHeader } from '../../domain/chain/hash256.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { BlockHash } from '../../schemas/scalars.ts'
import { responseBytes } from './response-bytes.ts'

/** Blocks as bytes, from a node with -rest=1. */
export interface Rest {
  /** Null if no block came; the RPC is asked next and says why. */
  block(hash: BlockHash): Promise<Uint8Array | null>
  close(): Promise<void>
}

export interface RestOptions {
  /** The RPC's: both are on one port. */
  url: string
  clock: Clock
  timeoutMs: number
  /** Called for each HTTP request sent. */
  onRequest: () => void
}

/** consensus/consensus.h: MAX_BLOCK_SERIALIZED_SIZE. */
const MAX_BLOCK_BYTES = 4_000_000
const CONNECTIONS = 4
const CONNECT_TIMEOUT_MS = 3_000
/** A node without REST is tried again after this: it may have been restarted with it. */
const ASKED_AGAIN_MS = 60_000
const MAX_REASON_BYTES = 1_024

/**
 * Without a login: the node requires none for REST. A body whose hash does not match is discarded.
 */
export function openRest(options: RestOptions): Rest {
  const pool = new Pool(new URL(options.url).origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    maxResponseSize: MAX_BLOCK_BYTES,
  })
  let silentUntil = -Infinity

  const ask = async (hash: BlockHash): Promise<Uint8Array | null> => {
    options.onRequest()
    const response = await pool.request({
      method: 'GET',
      path: `/rest/block/${hash}.bin`,
      signal: AbortSignal.timeout(options.timeoutMs),
    })
    if (response.statusCode === 200) {
      const bytes = await responseBytes(response, MAX_BLOCK_BYTES)
      if (hashHeader(bytes.subarray(0, HEADER_BYTES)) === hash) return bytes
    } else if ((await reasonOf(response)).includes(hash)) {
      // An error that names the block comes from REST itself: the node lacks the block.
      return null
    }
    silentUntil = options.clock.monotonic() + ASKED_AGAIN_MS
    return null
  }

  return {
    block: (hash) =>
      options.clock.monotonic() < silentUntil ? Promise.resolve(null) : ask(hash).catch(() => null),
    close: () => pool.destroy(),
  }
}

async function reasonOf({ body }: Dispatcher.ResponseData): Promise<string> {
  let reason = ''
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    reason += Buffer.from(chunk).toString('latin1')
    if (reason.length > MAX_REASON_BYTES) break
  }
  return reason
}
