import { once } from 'node:events'
import { connect } from 'node:net'
import { type Config, usesDevnet } from '../../schemas/config/config.ts'
import { type Check, type Finding, ok, warn } from './finding.ts'

const ASKED_MS = 3_000
/** The first byte that a ZeroMQ publisher sends on each connection (ZMTP 3.1, signature). */
const ZMTP_SIGNATURE = 0xff

/**
 * How the follower of the chain learns of the mempool: by pushes of the node, or by polling all of
 * it.
 */
export function newsChecks(config: Config): Check[] {
  const { ROLE, BITCOIN_RPC_URL, BITCOIN_ZMQ_URL, MEMPOOL_POLL_MS } = config
  const isFollowing = ROLE === 'all' || ROLE === 'ingest'
  if (!isFollowing || usesDevnet(config) || BITCOIN_RPC_URL === undefined) return []
  const cost = `the whole mempool is polled every ${MEMPOOL_POLL_MS / 1_000} s (20 MB at 300,000 transactions: every 6 s at most), and spends are seen that much later`
  const check = (look: Check['look']): Check => ({
    name: 'zmq',
    needs: ['BITCOIN_ZMQ_URL', 'MEMPOOL_POLL_MS', 'MAX_VERIFICATION_AGE_SECONDS'],
    cure: CURE,
    look,
  })
  if (!BITCOIN_ZMQ_URL?.length) {
    const polled = warn(`no ZMQ endpoint is configured: ${cost}`, CURE)
    const freshSeconds = config.MAX_VERIFICATION_AGE_SECONDS
    const mostMs = (freshSeconds * 1_000) / 2
    if (MEMPOOL_POLL_MS < mostMs) return [check(async () => [polled])]
    const what = `polls of the mempool are ${MEMPOOL_POLL_MS / 1_000} s apart, and orders are stale ${freshSeconds} s after one`
    const cure = `set MEMPOOL_POLL_MS below ${mostMs}, half of MAX_VERIFICATION_AGE_SECONDS`
    return [check(async () => [polled, warn(what, cure)])]
  }
  return [
    check(async () => {
      if (await hasZmq()) return []
      const what = `the package zeromq is not installed: ${cost}`
      return [warn(what, 'run npm ci --include=optional')]
    }),
    ...BITCOIN_ZMQ_URL.map((url) => check(async () => [await endpointFinding(url, cost)])),
  ]
}

const CURE =
  'run the node with zmqpubsequence=tcp://127.0.0.1:28332 and zmqpubrawtx=tcp://127.0.0.1:28332, and set BITCOIN_ZMQ_URL to that address'

const hasZmq = (): Promise<boolean> =>
  import('zeromq').then(
    () => true,
    () => false,
  )

async function endpointFinding(url: string, cost: string): Promise<Finding> {
  const firstBytes = await firstByte(url)
  if (firstBytes === ZMTP_SIGNATURE) return ok(`a ZeroMQ publisher answers at ${url}`)
  const what = firstBytes === null ? 'does not answer' : 'does not speak ZeroMQ'
  return warn(`${url} ${what}: ${cost}`, CURE)
}

/** Null if nothing came. */
async function firstByte(url: string): Promise<number | null> {
  const socket = url.startsWith('ipc://')
    ? connect(url.slice('ipc://'.length))
    : connect(Number(new URL(url).port), new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'))
  try {
    const [bytes] = (await once(socket, 'data', { signal: AbortSignal.timeout(ASKED_MS) })) as [
      Buffer,
    ]
    return bytes[0] ?? null
  } catch {
    return null
  } finally {
    socket.destroy()
  }
}
