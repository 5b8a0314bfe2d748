import { errors, Pool } from 'undici'
import { z } from 'zod'
import { parseExactJson } from '../../domain/json/exact-json.ts'
import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import type { Clock } from '../../runtime/clock.ts'
import { BusyError, connectionRules, LANES, type Lane, openLanes } from '../../runtime/lanes.ts'
import { RpcReply } from '../../schemas/wire/rpc.ts'
import type { Credentials } from './credentials.ts'
import { responseBytes } from './response-bytes.ts'
import { isTxidText } from './txid-text.ts'

/** The node answered with an error. Unless a caller interprets its code, it counts as no answer. */
export class RpcError extends NodeUnavailableError {
  override name = 'RpcError'
  readonly code: number

  constructor(method: string, code: number, message: string) {
    super(REASON_OF_CODE[code] ?? 'node_unavailable', `${method}: ${message} (${code})`)
    this.code = code
  }
}

/** For `catch`: these codes mean that the thing does not exist. */
export const nullOn =
  (...codes: readonly number[]) =>
  (error: unknown): null => {
    if (error instanceof RpcError && codes.includes(error.code)) return null
    throw error
  }

/** Codes of Bitcoin Core, rpc/protocol.h. */
export const RPC_MISC_ERROR = -1
export const RPC_INVALID_ADDRESS_OR_KEY = -5
export const RPC_INVALID_PARAMETER = -8
export const RPC_DESERIALIZATION_ERROR = -22
export const RPC_METHOD_NOT_FOUND = -32601

const REASON_OF_CODE: Record<number, NodeUnavailableError['reason']> = {
  [-10]: 'node_in_ibd',
  [-28]: 'node_warming_up',
}

/** One call within a batch. Throws `RpcError`, or `NodeUnavailableError` for an unreadable reply. */
export type Call = <S extends z.ZodType>(
  method: string,
  params: readonly unknown[],
  reply: S,
) => Promise<z.output<S>>

export interface Rpc {
  call: Call
  /** All calls that `fill` makes before it first waits go in one request, answered in order. */
  batch<T>(fill: (call: Call) => Promise<T>, lane?: Lane): Promise<T>
  close(): Promise<void>
}

export interface RpcOptions {
  url: string
  credentials: Credentials
  clock: Clock
  /** 0 to below 1: spreads retries. */
  random: () => number
  timeoutMs: number
  maxResponseBytes: number
  /** A connection was made or lost: another node may answer from now on. */
  onReconnect: () => void
  /** Called for each HTTP request sent. */
  onRequest: () => void
}

interface RpcEntry {
  method: string
  params: readonly unknown[]
  settle(reply: RpcReply): void
  fail(error: unknown): void
}

/**
 * Megabytes of hex and no amounts: exact parsing would cost a pass over every byte. Any amount read
 * beside them is still refused by its schema, which accepts no fractional number.
 */
const BULK_METHODS = new Set(['getblock', 'getrawmempool', 'getrawtransaction'])
/** `getrawtransaction`: includes the spent outputs, with their amounts. */
const WITH_PREVOUTS = 2
const CONNECTIONS = 8
/** Limit on waiting for a connection; an answer's timeout counts from when its request is sent. */
const LONGEST_WAIT_MS = 10_000
const CONNECT_TIMEOUT_MS = 3_000
/** The node closes idle connections after 30 s (-rpcservertimeout); each new one is verified. */
const KEPT_IDLE_MS = 25_000
/** Waits of 20 to 640 ms, each plus up to half: 1.3 to 1.9 s in all. */
const BUSY_ATTEMPTS = 6
const BUSY_WAIT = { firstMs: 20, lastMs: 640 }

/** JSON-RPC over HTTP as Bitcoin Core speaks it, 24 and later. Any request may be sent twice. */
export function openRpc(options: RpcOptions): Rpc {
  const { origin, pathname } = new URL(options.url)
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: KEPT_IDLE_MS,
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    maxResponseSize: options.maxResponseBytes,
  })
  const lanes = openLanes({
    rules: connectionRules(CONNECTIONS),
    waitMs: LONGEST_WAIT_MS,
    now: () => options.clock.monotonic(),
  })
  pool.on('connect', options.onReconnect)
  pool.on('disconnect', options.onReconnect)

  const request = async (body: string): Promise<{ status: number; bytes: Buffer }> => {
    options.onRequest()
    const response = await pool.request({
      method: 'POST',
      path: pathname,
      headers: {
        authorization: await options.credentials.header(),
        'content-type': 'application/json',
      },
      body,
      signal: AbortSignal.timeout(options.timeoutMs),
    })
    const bytes = await responseBytes(response, options.maxResponseBytes)
    return { status: response.statusCode, bytes }
  }

  /** The body of a JSON-RPC answer, whatever its status; `NodeUnavailableError` for anything else. */
  const post = async (body: string, lane: Lane): Promise<Buffer> => {
    let refreshed = false
    let reconnected = false
    for (let busy = 0; ; ) {
      try {
        const { status, bytes } = await lanes.run(lane, () => request(body))
        if (status === 401 && !refreshed) {
          refreshed = true
          if (await options.credentials.refresh()) continue
        }
        if (status === 401 || status === 403)
          throw new NodeUnavailableError(
            'node_unauthorized',
            `the node rejected the login (${status})`,
          )
        if (status !== 503) return bytes
        if (++busy > BUSY_ATTEMPTS)
          throw new NodeUnavailableError(
            'node_unavailable',
            `the node is too busy: ${bytes.toString().trim()}`,
          )
        const wait = backoffMs(busy - 1, BUSY_WAIT)
        await options.clock.sleep(wait * (1 + options.random() / 2))
      } catch (error) {
        if (error instanceof NodeUnavailableError) throw error
        if (error instanceof BusyError) throw crowded(error)
        // The node closes idle connections; a request on a closed one is sent once more.
        if (error instanceof errors.SocketError && !reconnected) reconnected = true
        else throw unreachable(error)
      }
    }
  }

  const send = async (entries: readonly RpcEntry[], lane: Lane): Promise<void> => {
    if (entries.length === 0) return
    const requests = entries.map(({ method, params }, id) => ({
      jsonrpc: '2.0',
      id,
      method,
      params,
    }))
    const bytes = await post(JSON.stringify(requests.length === 1 ? requests[0] : requests), lane)
    const replies = readReplies(bytes, entries)
    entries.forEach((entry, id) => {
      const reply = replies.get(id)
      if (reply === undefined) entry.fail(malformed(`no answer to ${entry.method}`, bytes))
      else entry.settle(reply)
    })
  }

  const batch: Rpc['batch'] = async (fill, lane = LANES.first) => {
    const entries: RpcEntry[] = []
    const answer = fill(
      (method, params, reply) =>
        new Promise((resolve, reject) => {
          entries.push({ method, params, ...settlement(method, reply, resolve, reject) })
        }),
    )
    try {
      await send(entries, lane)
    } catch (error) {
      for (const entry of entries) entry.fail(error)
    }
    return answer
  }

  return {
    batch,
    call: (method, params, reply) => batch((call) => call(method, params, reply)),
    close: () => pool.destroy(),
  }
}

function settlement<S extends z.ZodType>(
  method: string,
  schema: S,
  resolve: (value: z.output<S>) => void,
  reject: (error: unknown) => void,
): Pick<RpcEntry, 'settle' | 'fail'> {
  return {
    fail: reject,
    settle: ({ result, error }) => {
      if (error) return reject(new RpcError(method, error.code, error.message))
      const parsed = schema.safeParse(result)
      if (parsed.success) resolve(parsed.data)
      else reject(malformed(`${method}: ${z.prettifyError(parsed.error)}`))
    },
  }
}

function readReplies(bytes: Buffer, entries: readonly RpcEntry[]): ReadonlyMap<number, RpcReply> {
  const result = entries.length === 1 && entries[0]?.method === 'getblock' ? soleBytes(bytes) : null
  if (result !== null) return new Map([[0, { id: 0, result }]])
  try {
    const asked = entries.findIndex(({ method }) => method === 'getrawmempool')
    const cut = asked < 0 ? null : cutTxids(bytes)
    const text = cut?.rest ?? bytes.toString()
    const bulk = entries.some(isBulk)
    const body = bulk ? JSON.parse(text) : parseExactJson(text)
    const parsed = z.array(RpcReply).parse(Array.isArray(body) ? body : [body])
    const replies = new Map(parsed.map((reply) => [reply.id, reply]))
    if (cut) putBack(replies.get(asked), cut.txids)
    return replies
  } catch (cause) {
    throw malformed('the answer is not JSON-RPC', bytes, cause)
  }
}

/**
 * The bytes of a reply's hexadecimal result, without a string of megabytes; null for any other kind
 * of reply. The bytes end where the hexadecimal does.
 */
function soleBytes(reply: Buffer): Uint8Array | null {
  const begin = reply.subarray(0, LONGEST_BEGINNING).indexOf(RESULT) + RESULT.length
  const end = reply.indexOf('"', begin)
  const isLast = begin >= RESULT.length && end >= 0 && reply.length - end <= LONGEST_END
  if (!isLast || !WITHOUT_ERROR.test(reply.toString('latin1', end + 1))) return null
  const bytes = Buffer.allocUnsafeSlow(Math.floor((end - begin) / 2))
  for (let at = begin; at < end; at += DECODED_AT_ONCE) {
    const hex = reply.toString('latin1', at, Math.min(at + DECODED_AT_ONCE, end))
    const written = bytes.write(hex, (at - begin) / 2, 'hex')
    if (written * 2 < hex.length) return bytes.subarray(0, (at - begin) / 2 + written)
  }
  return bytes
}

/**
 * The txids of a mempool, up to 20 MB, and the answer without them: they are read where two answers
 * differ. Null: it has no list, or not as Bitcoin Core writes it.
 */
function cutTxids(answer: Buffer): { txids: Buffer; rest: string } | null {
  const begin = answer.indexOf(TXIDS) + TXIDS.length
  const end = answer.indexOf(']', begin)
  if (begin < TXIDS.length || end < 0 || !isTxidText(end - begin)) return null
  const rest = answer.toString('utf8', 0, begin) + answer.toString('utf8', end)
  return { txids: answer.subarray(begin, end), rest }
}

function putBack(reply: RpcReply | undefined, txids: Buffer): void {
  const { result } = z.object({ result: EmptyMempool }).parse(reply)
  Object.assign(reply ?? {}, { result: { ...result, txids } })
}

const TXIDS = '"txids":['
const EmptyMempool = z.looseObject({ txids: z.tuple([]) })

/** Small enough for a short-lived string. */
const DECODED_AT_ONCE = 2 ** 16
const RESULT = '"result":"'
/** Bitcoin Core puts `{"jsonrpc":"2.0",` before the result; before 28, it put nothing there. */
const LONGEST_BEGINNING = 40
const LONGEST_END = 40
const WITHOUT_ERROR = /^(?:,"error":null)?,"id":0}\s*$/

const isBulk = ({ method, params }: Pick<RpcEntry, 'method' | 'params'>): boolean =>
  BULK_METHODS.has(method) && !(method === 'getrawtransaction' && params[1] === WITH_PREVOUTS)

function malformed(
  what: string,
  bytes: Buffer = Buffer.alloc(0),
  cause?: unknown,
): NodeUnavailableError {
  const text = bytes.toString('utf8', 0, 120)
  return new NodeUnavailableError('node_unavailable', `${what} ${text}`.trim(), { cause })
}

const crowded = (cause: BusyError): NodeUnavailableError =>
  new NodeUnavailableError('node_unavailable', `too many requests to the node: ${cause.message}`, {
    cause,
  })

function unreachable(cause: unknown): NodeUnavailableError {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new NodeUnavailableError('node_unavailable', `no answer from the node: ${message}`, {
    cause,
  })
}
