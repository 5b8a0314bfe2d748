import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Publisher } from 'zeromq'
import { ordAnswers } from '../../test/support/chain/recorded-answers.ts'
import { GeneratedChain } from './chain.ts'
import { Mempool } from './mempool.ts'
import { nodeMethods, RpcRefusalError } from './node-methods.ts'
import { coinOfIndex, inscriptionOfIndex, type OwnedCoin, outputOfIndex } from './outputs.ts'
import { Pace } from './pace.ts'

/** The stub's settings: JSON as its first argument. */
export interface StubSettings {
  height: number
  fullBlocks: number
  /** Of a full block. */
  transactions: number
  /** Transactions in the mempool at first. */
  mempool: number
  /** Arrivals: transactions a second, and milliseconds from block to block; 0: none. */
  perSecond: number
  blockEveryMs: number
  /**
   * Full blocks hold the same transactions, except for the first two: any number of them is made at
   * once.
   */
  isRepeated?: boolean
  /** Blocks are also served by REST, as by a node with -rest=1. */
  hasRest?: boolean
  /** Every output exists, unspent, and holds nothing; without it none exists. */
  hasOutputs?: boolean
  /** This output also exists, unspent. */
  coin?: OwnedCoin
  /**
   * `user:password`, as in a cookie file: other logins are refused. Without it all are accepted.
   */
  login?: string
  /** A configuration file of Bitcoin Core, whose `rpcauth` lines are logins too. */
  configuration?: string
}

/** Printed when it listens, and then for each line that it reads. */
export interface StubState {
  rpcUrl: string
  zmqUrl: string
  indexUrl: string
  height: number
  httpRequests: number
  /** HTTP requests by the methods of their calls. */
  requestsOf: Record<string, number>
  rpcCalls: number
  indexRequests: number
}

const TICK_MS = 100
const INTERNAL_ERROR = -32_603

// A node and an index of mainnet's size that generate their answers. They speak the wire formats of
// Bitcoin Core's RPC and ZMQ and of ord, and check nothing.

const settings = JSON.parse(process.argv[2] ?? '{}') as StubSettings
const chain = new GeneratedChain(settings)
const mempool = new Mempool()
mempool.fill(settings.mempool)
const counts = { httpRequests: 0, rpcCalls: 0, indexRequests: 0 }
const requestsOf: Record<string, number> = {}
const publisher = new Publisher()
const pushed = { rawtx: 0, sequence: 0 }

async function push(topic: keyof typeof pushed, body: Buffer): Promise<void> {
  const counter = Buffer.alloc(4)
  counter.writeUInt32LE(pushed[topic], 0)
  pushed[topic] += 1
  await publisher.send([topic, body, counter])
}

async function enter(): Promise<void> {
  const { txid, bytes, sequence } = mempool.enter()
  const number = Buffer.alloc(8)
  number.writeBigUInt64LE(BigInt(sequence), 0)
  await push('rawtx', bytes)
  await push('sequence', Buffer.concat([Buffer.from(txid, 'hex'), Buffer.from('A'), number]))
}

async function mine(): Promise<void> {
  const { hash } = chain.mine(mempool.mine(settings.transactions))
  await push('sequence', Buffer.concat([Buffer.from(hash, 'hex'), Buffer.from('C')]))
}

interface Request {
  id: number
  method: string
  params: readonly unknown[]
}

const { coin } = settings
const methodOf = nodeMethods(chain, mempool, { areAll: settings.hasOutputs ?? false, coin })

function answer({ id, method, params }: Request) {
  counts.rpcCalls += 1
  try {
    return { jsonrpc: '2.0', result: methodOf(method)(params), id }
  } catch (error) {
    const code = error instanceof RpcRefusalError ? error.code : INTERNAL_ERROR
    const message = error instanceof Error ? error.message : String(error)
    return { jsonrpc: '2.0', error: { code, message }, id }
  }
}

/** Bitcoin Core's: share/rpcauth. */
function isOfConfiguration(given: string): boolean {
  const { configuration } = settings
  if (configuration === undefined || !existsSync(configuration)) return false
  const [user = '', password = ''] = given.split(':')
  return readFileSync(configuration, 'utf8')
    .split('\n')
    .some((line) => {
      const [, name, salt = '', hash] = /^rpcauth=([^:]+):(.+)\$([0-9a-f]{64})$/.exec(line) ?? []
      return name === user && createHmac('sha256', salt).update(password).digest('hex') === hash
    })
}

function mayAsk(authorization: string | undefined): boolean {
  if (settings.login === undefined) return true
  const given = Buffer.from(authorization?.replace(/^Basic /, '') ?? '', 'base64').toString()
  return given === settings.login || isOfConfiguration(given)
}

const REST_BLOCK = /^\/rest\/block\/([0-9a-f]{64})\.bin$/

/** Without a login, and as a node without -rest answers where it is off. */
function answerRest(path: string, response: ServerResponse): void {
  const [, hash = ''] = (settings.hasRest && REST_BLOCK.exec(path)) || []
  const found = chain.of(hash)
  if (found) {
    response.setHeader('content-type', 'application/octet-stream').end(chain.block(found))
  } else response.writeHead(404).end(hash && `${hash} not found\r\n`)
}

function count(methods: readonly string[]): void {
  const what = [...new Set(methods)].join(' + ')
  requestsOf[what] = (requestsOf[what] ?? 0) + 1
}

const rpc = createServer((request, response) => {
  counts.httpRequests += 1
  if (request.url?.startsWith('/rest/')) {
    count(['rest block'])
    return answerRest(request.url, response)
  }
  if (!mayAsk(request.headers.authorization)) {
    response.writeHead(401).end()
    return
  }
  void text(request).then((body) => {
    const asked = JSON.parse(body) as Request | Request[]
    count([asked].flat().map(({ method }) => method))
    const answered = Array.isArray(asked) ? asked.map(answer) : answer(asked)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answered))
  })
})

// As Bitcoin Core does (-rpcservertimeout).
rpc.keepAliveTimeout = 30_000

const STATUS = JSON.parse(ordAnswers['status']?.body ?? '{}') as object

const outputAt = (outpoint: string) =>
  coin?.outpoint === outpoint ? coinOfIndex(chain, coin) : outputOfIndex(chain, outpoint)

function indexAnswer(path: string): unknown {
  if (path.startsWith('/r/blockhash/')) {
    return chain.at(Number(path.slice('/r/blockhash/'.length)))?.hash ?? null
  }
  if (path.startsWith('/output/')) return outputAt(path.slice('/output/'.length))
  if (coin && path === `/inscription/${coin.inscriptionId}`) return inscriptionOfIndex(coin)
  return path === '/status' ? { ...STATUS, chain: 'mainnet', height: chain.tip.height } : null
}

const index = createServer((request, response) => {
  counts.indexRequests += 1
  const isForPeople = !request.headers.accept?.includes('json')
  if (isForPeople) response.end(ordAnswers['status page']?.body)
  else if (request.method === 'POST') {
    void text(request).then((body) => {
      const outputs = (JSON.parse(body) as string[]).map(outputAt)
      response.setHeader('content-type', 'application/json').end(JSON.stringify(outputs))
    })
  } else {
    const body = JSON.stringify(indexAnswer(request.url ?? ''))
    response.setHeader('content-type', 'application/json').end(body)
  }
})

const listening = async (server: typeof rpc): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const rpcUrl = await listening(rpc)
const indexUrl = await listening(index)
await publisher.bind('tcp://127.0.0.1:*')
const zmqUrl = publisher.lastEndpoint ?? ''

const tell = (): void => {
  const height = chain.tip.height
  const state: StubState = { rpcUrl, zmqUrl, indexUrl, height, requestsOf, ...counts }
  process.stdout.write(`${JSON.stringify(state)}\n`)
}
tell()
process.stdin.on('data', tell)
process.stdin.on('end', () => process.exit(0))

const pace = new Pace(settings, performance.now())
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  const due = pace.dueAt(performance.now())
  for (let entered = 0; entered < due.transactions; entered += 1) await enter()
  for (let mined = 0; mined < due.blocks; mined += 1) await mine()
}
