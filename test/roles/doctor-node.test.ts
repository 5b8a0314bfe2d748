import { createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Publisher } from 'zeromq'
import { authorityChecks } from '../../src/operator/doctor/authorities.ts'
import type { Finding } from '../../src/operator/doctor/finding.ts'
import { foldChecks } from '../../src/operator/doctor/folds.ts'
import { newsChecks } from '../../src/operator/doctor/news.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { recordedAnswer, resultOf } from '../adapters/bitcoind/recorded-node.ts'
import { rpcAnswers } from '../support/chain/recorded-answers.ts'
import { type HttpHandler, type HttpServer, openHttpServer } from '../support/http/http-server.ts'

// What the node offers for folding its blocks and following its mempool: a real node's answers,
// word for word.

const closes: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closes.splice(0)) await close()
})

async function serve(handler: HttpHandler): Promise<HttpServer> {
  const server = await openHttpServer(handler)
  closes.push(() => server.close())
  return server
}

async function findings(
  checks: ReturnType<typeof foldChecks>,
): Promise<(Finding & { part: string })[]> {
  const found = await Promise.all(
    checks.map(async ({ name, look }) => (await look()).map((one) => ({ part: name, ...one }))),
  )
  return found.flat()
}

const LOGIN = { BITCOIN_RPC_USER: 'user', BITCOIN_RPC_PASSWORD: 'password' }
const info = JSON.parse(rpcAnswers['chain']?.body ?? '{}') as { result: { blocks: number } }
const TIP = info.result.blocks

const foldsAt = (url: string, environment: Record<string, string>) =>
  findings(foldChecks(Config.parse({ BITCOIN_RPC_URL: url, ...LOGIN, ...environment })))

/** The recorded node, with these fields of `getblockchaininfo`. */
const nodeWith = (fields: object): HttpHandler =>
  recordedAnswer({ getblockchaininfo: resultOf({ ...info.result, ...fields }) })

test('start heights that the chain has reached are well, and a node without REST is a warning', async () => {
  const { url } = await serve(recordedAnswer())
  const found = await foldsAt(url, { PAIRING_START_HEIGHT: String(TIP) })
  expect(found).toEqual([
    {
      part: 'pairing',
      status: 'ok',
      what: `PAIRING_START_HEIGHT is ${TIP}, 1 blocks to the node's tip`,
    },
    {
      part: 'circles',
      status: 'ok',
      what: `CIRCLES_START_HEIGHT is 0, ${TIP + 1} blocks to the node's tip`,
    },
    {
      part: 'rest',
      status: 'warn',
      what: expect.stringContaining('does not serve REST: blocks are fetched in hex'),
      cure: expect.stringContaining('rest=1'),
    },
  ])
})

test('a node that serves REST is well', async () => {
  const rpc = recordedAnswer()
  const { url } = await serve((request) =>
    request.path === '/rest/blockhashbyheight/0.bin'
      ? { contentType: 'application/octet-stream', body: Buffer.alloc(32, 1) }
      : rpc(request),
  )
  const found = await foldsAt(url, {})
  expect(found.at(-1)).toEqual({
    part: 'rest',
    status: 'ok',
    what: 'the node serves blocks in binary (REST)',
  })
})

test('a server that answers every path with a page is not REST', async () => {
  const { url } = await serve(({ path, ...request }) =>
    path.startsWith('/rest/') ? { body: '<html></html>' } : recordedAnswer()({ path, ...request }),
  )
  expect((await foldsAt(url, {})).at(-1)).toMatchObject({ part: 'rest', status: 'warn' })
})

test('a node that is behind the chain is a warning with the time of its last block', async () => {
  const nodeAt = async (handler: HttpHandler) => {
    // The clock is looked up without a question.
    const { url: BITCOIN_RPC_URL } = await serve((request) =>
      request.body === '' ? { body: '' } : handler(request),
    )
    const config = Config.parse({ BITCOIN_RPC_URL, ...LOGIN, ASSET_INDEX_URL: BITCOIN_RPC_URL })
    return findings(authorityChecks(config).filter(({ name }) => name === 'node'))
  }
  const isBehind = {
    part: 'node',
    status: 'warn',
    what: 'the node is in its initial block download, or behind the chain: its last block is of 2026-11-21T11:13:58.000Z',
    cure: expect.stringContaining('peers'),
  }
  expect(await nodeAt(nodeWith({ headers: TIP + 3 }))).toContainEqual(isBehind)
  expect(await nodeAt(nodeWith({ initialblockdownload: true }))).toContainEqual(isBehind)
  expect(await nodeAt(recordedAnswer())).not.toContainEqual(isBehind)
})

test('a start height above the tip is a warning', async () => {
  const { url } = await serve(recordedAnswer())
  const [pairing, circles] = await foldsAt(url, { PAIRING_START_HEIGHT: String(TIP + 1) })
  expect(pairing).toMatchObject({
    status: 'warn',
    what: `PAIRING_START_HEIGHT is ${TIP + 1}, above the node's tip ${TIP}: nothing is indexed before that block`,
  })
  expect(circles).toMatchObject({ status: 'ok' })
})

test('a start height below the first block of a pruned node is a warning that names it', async () => {
  const { url } = await serve(nodeWith({ pruned: true, pruneheight: 100 }))
  const [pairing, circles] = await foldsAt(url, {
    PAIRING_START_HEIGHT: '99',
    CIRCLES_START_HEIGHT: '100',
  })
  expect(pairing).toMatchObject({
    status: 'warn',
    what: expect.stringContaining('pruned the blocks below 100'),
    cure: expect.stringContaining('at least 100'),
  })
  expect(circles).toMatchObject({ status: 'ok' })
})

test('an unavailable node is reported only by its own check, and a role without folds checks none', async () => {
  expect(await foldsAt('http://127.0.0.1:1', {})).toEqual([])
  expect(foldChecks(Config.parse({ ROLE: 'circles', DEVNET: 'off' }))).toHaveLength(1)
  expect(foldChecks(Config.parse({ PAIRING_ENABLED: 'false', CIRCLES_ENABLED: 'false' }))).toEqual(
    [],
  )
})

const newsAt = (environment: Record<string, string>) =>
  findings(
    newsChecks(Config.parse({ BITCOIN_RPC_URL: 'http://127.0.0.1:1', ...LOGIN, ...environment })),
  )

test('a mempool that is polled is a warning that says what it costs', async () => {
  expect(await newsAt({ MEMPOOL_POLL_MS: '2500' })).toEqual([
    {
      part: 'zmq',
      status: 'warn',
      what: expect.stringMatching(
        /whole mempool is polled every 2\.5 s .* spends are seen that much later/,
      ),
      cure: expect.stringContaining('zmqpubsequence='),
    },
  ])
})

test('polls that are further apart than half of what orders may age are a second warning', async () => {
  const second = {
    part: 'zmq',
    status: 'warn',
    what: 'polls of the mempool are 5 s apart, and orders are stale 10 s after one',
    cure: 'set MEMPOOL_POLL_MS below 5000, half of MAX_VERIFICATION_AGE_SECONDS',
  }
  const age = { MAX_VERIFICATION_AGE_SECONDS: '10' }
  expect((await newsAt({ ...age, MEMPOOL_POLL_MS: '5000' })).slice(1)).toEqual([second])
  expect(await newsAt({ ...age, MEMPOOL_POLL_MS: '4999' })).toHaveLength(1)
})

test('an endpoint that publishes is well; one that is unavailable, or speaks another protocol, is a warning', async () => {
  const publisher = new Publisher({ linger: 0 })
  await publisher.bind('tcp://127.0.0.1:*')
  closes.push(async () => publisher.close())
  const other: Server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  closes.push(async () => {
    other.close()
  })
  const url = publisher.lastEndpoint ?? ''
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : 0
  const found = await newsAt({
    BITCOIN_ZMQ_URL: `${url},tcp://127.0.0.1:1,tcp://127.0.0.1:${port}`,
  })
  expect(found.map(({ status, what }) => [status, what.split(':')[0], what])).toEqual([
    ['ok', expect.any(String), `a ZeroMQ publisher answers at ${url}`],
    ['warn', 'tcp', expect.stringContaining('tcp://127.0.0.1:1 does not answer: ')],
    ['warn', 'tcp', expect.stringContaining(`tcp://127.0.0.1:${port} does not speak ZeroMQ: `)],
  ])
})

test('roles that do not follow the chain need no notifications', async () => {
  expect(
    newsChecks(Config.parse({ BITCOIN_RPC_URL: 'http://127.0.0.1:1', ...LOGIN, ROLE: 'pairing' })),
  ).toEqual([])
})
