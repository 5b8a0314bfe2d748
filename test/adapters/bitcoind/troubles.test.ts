import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { GENESIS_HASH } from '../../../src/domain/chain/genesis.ts'
import { NodeUnavailableError } from '../../../src/ports/authorities/authority-errors.ts'
import type { FullNode } from '../../../src/ports/authorities/full-node.ts'
import { rpcAnswers } from '../../support/chain/recorded-answers.ts'
import type { HttpHandler } from '../../support/http/http-server.ts'
import { toBlockHash, toTxid } from '../../support/ids.ts'
import { openRecordedNode, type RecordedNode, recordedAnswer, resultOf } from './recorded-node.ts'

const OUTPOINT = { txid: toTxid('f'.repeat(64)), vout: 0 }

const BLOCK = toBlockHash(OUTPOINT.txid)

let recorded: RecordedNode
afterEach(() => recorded.close())

/** Every call fails with `NodeUnavailableError` and this reason: none is read as an absence. */
async function expectTrouble(node: FullNode, reason: string): Promise<void> {
  const questions = [
    () => node.chain(),
    () => node.output(OUTPOINT),
    () => node.blockHash(1),
    () => node.header(BLOCK),
    () => node.block(BLOCK),
    () => node.mempoolSpenders([OUTPOINT]),
    () => node.confirmedSpender(OUTPOINT),
    () => node.transaction(OUTPOINT.txid),
    () => node.mempool(),
    () => node.mempoolTransactions([OUTPOINT.txid]),
    () => node.testAccept(['00']),
    () => node.inputIsFinal('', 0),
    () => node.feeRate(),
  ]
  for (const ask of questions) {
    const error: unknown = await ask().catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(NodeUnavailableError)
    expect(error).toMatchObject({ reason })
  }
}

describe('a node without a usable answer', () => {
  const unusable: [string, HttpHandler, string][] = [
    ['warms up', everyCall(rpcAnswers['warming up']?.body ?? ''), 'node_warming_up'],
    [
      'warms up, in the words of older ones',
      () => ({
        status: 500,
        body: '{"result":null,"error":{"code":-28,"message":"Loading block index…"},"id":0}',
      }),
      'node_warming_up',
    ],
    [
      'refuses in its initial download',
      everyCall('{"jsonrpc":"2.0","error":{"code":-10,"message":"IBD"},"id":0}'),
      'node_in_ibd',
    ],
    [
      'refuses the login',
      () => ({ status: rpcAnswers['refused login']?.status ?? 0, body: '' }),
      'node_unauthorized',
    ],
    ['refuses the address', () => ({ status: 403, body: '' }), 'node_unauthorized'],
    [
      'is too busy for longer than the client waits',
      () => ({ status: 503, contentType: 'text/plain', body: 'Work queue depth exceeded' }),
      'node_unavailable',
    ],
    ['cuts every connection', () => 'reset', 'node_unavailable'],
    ['speaks HTML', () => ({ contentType: 'text/html', body: '<html>' }), 'node_unavailable'],
    ['speaks half JSON', () => ({ body: '{"jsonrpc":"2.0","result"' }), 'node_unavailable'],
    ['leaves an answer out', () => ({ body: '[]' }), 'node_unavailable'],
    ['answers another question', everyCall(resultOf({ surprise: true })), 'node_unavailable'],
  ]

  test.each(unusable)('%s', async (_, handler, reason) => {
    recorded = await openRecordedNode()
    recorded.server.answer(handler)
    await expectTrouble(recorded.node, reason)
  })

  test.each(['hang', 'drip'] as const)('does not answer in time: %s', async (how) => {
    recorded = await openRecordedNode({}, { timeoutMs: 200 })
    recorded.server.answer(() => how)
    await expect(recorded.node.output(OUTPOINT)).rejects.toMatchObject({
      reason: 'node_unavailable',
    })
  })

  test('is not there', async () => {
    recorded = await openRecordedNode()
    await recorded.server.close()
    await expectTrouble(recorded.node, 'node_unavailable')
  })

  test('answers more than the client reads', async () => {
    recorded = await openRecordedNode()
    const flood = Buffer.alloc(65 * 2 ** 20, 32)
    recorded.server.answer(() => ({ body: flood }))
    await expect(recorded.node.chain()).rejects.toMatchObject({ reason: 'node_unavailable' })
  })

  test('follows another chain: both hashes are named', async () => {
    recorded = await openRecordedNode({}, { network: 'mainnet' })
    await expectTrouble(recorded.node, 'node_wrong_network')
    await expect(recorded.node.chain()).rejects.toThrow(GENESIS_HASH.mainnet)
    await expect(recorded.node.chain()).rejects.toThrow(GENESIS_HASH.regtest)
  })
})

describe('a node that comes and goes', () => {
  test('a busy queue is retried', async () => {
    recorded = await openRecordedNode()
    const answer = recordedAnswer()
    let left = 4
    recorded.server.answer((request) =>
      left-- > 0 ? { status: 503, body: 'Work queue depth exceeded' } : answer(request),
    )
    expect((await recorded.node.chain()).network).toBe('regtest')
  })

  test('an idle connection that was closed is not an error', async () => {
    recorded = await openRecordedNode()
    const answer = recordedAnswer()
    await recorded.node.chain()
    let cut = true
    recorded.server.answer((request) => {
      if (!cut) return answer(request)
      cut = false
      return 'reset'
    })
    expect((await recorded.node.chain()).network).toBe('regtest')
  })

  test('behind a new connection the chain is compared again, before and after', async () => {
    recorded = await openRecordedNode()
    await recorded.node.chain()
    let cut = true
    const other = recordedAnswer({ getblockhash: resultOf(GENESIS_HASH.mainnet) })
    recorded.server.answer((request) => {
      if (!cut) return other(request)
      cut = false
      return 'reset'
    })
    await expect(recorded.node.output(OUTPOINT)).rejects.toMatchObject({
      reason: 'node_wrong_network',
    })
  })

  test('a new cookie is read when the old one is refused', async () => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'market-cookie-'))
    const cookieFile = path.join(directory, '.cookie')
    await writeFile(cookieFile, '__cookie__:old\n')
    recorded = await openRecordedNode({}, { credentials: { cookieFile } })
    const answer = recordedAnswer()
    const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`
    const expectLogin = (login: string) =>
      recorded.server.answer((request) =>
        request.headers.authorization === basic(login)
          ? answer(request)
          : { status: 401, body: '' },
      )

    expectLogin('__cookie__:old')
    await recorded.node.chain()
    expectLogin('__cookie__:new')
    await expect(recorded.node.chain()).rejects.toMatchObject({ reason: 'node_unauthorized' })
    await writeFile(cookieFile, '__cookie__:new\n')
    expect((await recorded.node.chain()).network).toBe('regtest')

    await rm(directory, { recursive: true })
    expectLogin('__cookie__:newer')
    await expect(recorded.node.chain()).rejects.toMatchObject({ reason: 'node_unavailable' })
  })
})

/** The same reply to every request. */
function everyCall(reply: string): HttpHandler {
  return ({ body }) => {
    const asked: unknown = JSON.parse(body)
    const one = (id: number) => reply.replace(/"id":0\}$/, `"id":${id}}`)
    return { body: Array.isArray(asked) ? `[${asked.map((_, id) => one(id)).join(',')}]` : one(0) }
  }
}
