import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  BlockUnavailableError,
  ProofRefusedError,
} from '../../../src/ports/authorities/authority-errors.ts'
import { Outpoint } from '../../../src/schemas/scalars.ts'
import { rpcAnswers } from '../../support/chain/recorded-answers.ts'
import { toAnyHash, toBlockHash, toTxid } from '../../support/ids.ts'
import {
  openRecordedNode,
  type RecordedNode,
  recordedAnswer,
  requestsIn,
  resultOf,
} from './recorded-node.ts'

const TxOut = z.tuple([z.string(), z.int(), z.boolean()])
const UNKNOWN = toAnyHash('f'.repeat(64))

/** The outpoint of a recorded `gettxout`. */
function outpointOf(name: string) {
  const [txid, vout] = TxOut.parse(rpcAnswers[`gettxout ${name} true`]?.params)
  return { txid: toTxid(txid), vout }
}

const PAID = { prevout: { value: '0.00001', scriptPubKey: { hex: '51' } } }
const errorBody = (name: string): string => rpcAnswers[name]?.body ?? ''
const [tipHash] = z.tuple([z.string()]).parse(rpcAnswers['header']?.params)

describe('what Bitcoin Core answered, in the port’s terms', () => {
  let recorded: RecordedNode
  beforeAll(async () => {
    recorded = await openRecordedNode()
  })
  afterAll(() => recorded.close())

  test('amounts arrive as they were written', async () => {
    expect(await recorded.node.output(outpointOf('unspent'))).toMatchObject({
      status: 'unspent',
      output: { valueSats: '12345678' },
      confirmations: 1,
      bestBlock: tipHash,
    })
    expect(await recorded.node.output(outpointOf('waiting'))).toMatchObject({
      status: 'unspent',
      output: { valueSats: '100000000' },
      confirmations: 0,
    })
  })

  test('gettxout null twice is absent, null with the mempool only is spent there', async () => {
    expect(await recorded.node.output(outpointOf('unknown'))).toEqual({ status: 'absent' })
    expect(await recorded.node.output(outpointOf('spent'))).toMatchObject({
      status: 'spent-in-mempool',
      output: { valueSats: '50000' },
    })
  })

  test('many outputs are one request', async () => {
    const before = recorded.server.requests.length
    const names = ['unspent', 'spent', 'waiting', 'unknown']
    const answers = await recorded.node.outputs(names.map(outpointOf))
    expect(answers.map(({ status }) => status)).toEqual([
      'unspent',
      'spent-in-mempool',
      'unspent',
      'absent',
    ])
    expect(recorded.server.requests.length).toBe(before + 1)
  })

  test('outputs that are asked about at the same time share requests', async () => {
    const before = recorded.server.requests.length
    const names = ['unspent', 'spent', 'waiting', 'unknown', 'unspent', 'spent']
    const answers = await Promise.all(
      names.map((name) => recorded.node.outputAtTip(outpointOf(name))),
    )
    expect(answers.map(({ output }) => output.status)).toEqual([
      ...['unspent', 'spent-in-mempool', 'unspent', 'absent'],
      ...['unspent', 'spent-in-mempool'],
    ])
    const outputsOf = ({ body }: { body: string }) =>
      requestsIn(body).filter(({ method }) => method === 'gettxout').length / 2
    const requests = recorded.server.requests.slice(before).map(outputsOf)
    // A second socket is checked by a request of its own.
    expect(requests.filter((outputs) => outputs > 0)).toEqual([1, 1, 4])
  })

  test('an index that the RPC cannot read is not requested', async () => {
    const before = recorded.server.requests.length
    const beyond = { txid: UNKNOWN, vout: 0x80000000 }
    expect(await recorded.node.mempoolSpenders([beyond])).toEqual([null])
    expect(await recorded.node.confirmedSpender(beyond)).toBeNull()
    expect(recorded.server.requests.length).toBe(before)
  })

  test('the chain, its headers and blocks', async () => {
    const { tip, ...status } = await recorded.node.chain()
    expect(tip.hash).toBe(tipHash)
    expect(status).toMatchObject({
      network: 'regtest',
      version: '/Satoshi:31.99.0/',
      coreVersion: 319_900,
    })
    const block = await recorded.node.block(toBlockHash(tipHash))
    expect(block).toMatchObject({ hash: tipHash, height: tip.height })
    expect(block?.transactions.length).toBeGreaterThan(1)
    expect(await recorded.node.header(UNKNOWN)).toBeNull()
    expect(await recorded.node.blockHash(100_000)).toBeNull()
    expect(await recorded.node.transaction(UNKNOWN)).toBeNull()
  })

  test('acceptance: size, fee and reason', async () => {
    const [allowed] = z.tuple([z.tuple([z.string()])]).parse(rpcAnswers['acceptable']?.params)
    const [dust] = z.tuple([z.tuple([z.string()])]).parse(rpcAnswers['dust']?.params)
    const answers = await recorded.node.testAccept([allowed[0], dust[0], '00'])
    expect(answers).toMatchObject([
      { allowed: true, feesSats: '345678', rejectReason: null },
      { allowed: false, vsize: null, feesSats: null, rejectReason: 'dust' },
      { txid: '', allowed: false, rejectReason: 'TX decode failed' },
    ])
  })

  test('without an estimate the rate is what the mempool takes', async () => {
    expect(await recorded.node.feeRate()).toBe('0.1')
  })
})

describe('answers that need care', () => {
  test('the tip that moves between two gettxouts makes them ask again', async () => {
    const recorded = await openRecordedNode()
    let asked = 0
    const { body } = rpcAnswers['tip'] ?? { body: '' }
    recorded.server.answer((request) => {
      const texts = requestsIn(request.body).map(({ id, method }) => {
        if (method === 'getbestblockhash') asked++
        const moved = method === 'getbestblockhash' && asked === 1
        const name = { getblockhash: 'genesis', getnetworkinfo: 'network' }[method]
        const text = moved
          ? resultOf(UNKNOWN)
          : method === 'getbestblockhash'
            ? body
            : method === 'getmempoolinfo'
              ? errorBody('mempool info')
              : errorBody(name ?? 'gettxout unspent true')
        return text.replace(/"id":0\}$/, `"id":${id}}`)
      })
      return { body: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(',')}]` }
    })
    expect(await recorded.node.output(outpointOf('unspent'))).toMatchObject({ status: 'unspent' })
    expect(asked).toBe(4)
    await recorded.close()
  })

  test('a pruned block is named, not skipped', async () => {
    const recorded = await openRecordedNode({ getblock: errorBody('pruned block') })
    const asked = recorded.node.block(toBlockHash(tipHash))
    await expect(asked).rejects.toThrow(BlockUnavailableError)
    await expect(asked).rejects.toMatchObject({ hash: tipHash })
    await recorded.close()
  })

  test.each([
    ['as Core writes it', '{"jsonrpc":"2.0","result":"00ff10","id":0}\n'],
    ['as Core wrote it before 28', '{"result":"00ff10","error":null,"id":0}\n'],
    ['in another order', '{"id":0,"jsonrpc":"2.0","result":"00ff10"}'],
    ['with spaces', '{ "jsonrpc" : "2.0", "result" : "00ff10", "id" : 0 }'],
    ['escaped', '{"jsonrpc":"2.0","id":0,"result":"\\u0030\\u0030ff10"}'],
  ])('the bytes of a block are read of a reply %s', async (_how, reply) => {
    const recorded = await openRecordedNode({ getblock: reply })
    expect(await recorded.node.rawBlock(toBlockHash(tipHash))).toEqual(Buffer.from('00ff10', 'hex'))
    await recorded.close()
  })

  test.each([
    ['an error beside it', '{"result":"00ff10","error":{"code":-1,"message":"no"},"id":0}'],
    ['no end', '{"jsonrpc":"2.0","result":"00ff10'],
    ['no number', '{"jsonrpc":"2.0","result":"00ff10","id":"0"}'],
    ['a number', '{"jsonrpc":"2.0","result":17,"id":0}'],
    ['nothing', ''],
  ])('a reply with %s holds no block', async (_what, reply) => {
    const recorded = await openRecordedNode({ getblock: reply })
    await expect(recorded.node.rawBlock(toBlockHash(tipHash))).rejects.toThrow()
    await recorded.close()
  })

  test('a block full of circles: no request asks for more than a node reads within its time limit', async () => {
    const txids = Array.from({ length: 100 }, (_, at) => toTxid(at.toString(16).padStart(64, '0')))
    const recorded = await openRecordedNode({}, { timeoutMs: 500 })
    const others = recordedAnswer()
    recorded.server.answer((request) => {
      const asked = requestsIn(request.body)
      if (asked[0]?.method !== 'getrawtransaction') return others(request)
      if (asked.length > 16) return 'hang'
      const replies = asked.map(({ id, params: [txid] }) => ({ id, result: { txid, vin: [PAID] } }))
      return { body: JSON.stringify(replies) }
    })
    const block = toBlockHash(tipHash)
    const spent = [{ valueSats: '1000', scriptHex: '51' }]
    expect(await recorded.node.prevouts(block, txids)).toEqual(
      new Map(txids.map((txid) => [txid, spent])),
    )
    expect(await recorded.node.prevouts(block, [])).toEqual(new Map())
    await recorded.close()
  })

  test('a block that the node never saw is null, a pruned one is named', async () => {
    const recorded = await openRecordedNode({ getblock: errorBody('pruned block') })
    await expect(recorded.node.rawBlock(toBlockHash(tipHash))).rejects.toMatchObject({
      hash: tipHash,
    })
    recorded.server.answer(recordedAnswer({ getblock: errorBody('unknown header') }))
    expect(await recorded.node.rawBlock(UNKNOWN)).toBeNull()
    await recorded.close()
  })

  test('a Merkle proof that the node refuses is not a fault of the node: pruned, or not for this login', async () => {
    const recorded = await openRecordedNode({ gettxoutproof: errorBody('pruned proof') })
    const proof = () => recorded.node.merkleProof(UNKNOWN, toBlockHash(tipHash))
    await expect(proof()).rejects.toMatchObject({ hash: tipHash })
    const { status = 0, body = '' } = rpcAnswers['refused proof'] ?? {}
    const others = recordedAnswer()
    recorded.server.answer((request) =>
      requestsIn(request.body).some(({ method }) => method === 'gettxoutproof')
        ? { status, body }
        : others(request),
    )
    await expect(proof()).rejects.toBeInstanceOf(ProofRefusedError)
    const unknown = '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":0}'
    recorded.server.answer(recordedAnswer({ gettxoutproof: unknown }))
    await expect(proof()).rejects.toBeInstanceOf(ProofRefusedError)
    // A login that is refused for every call.
    recorded.server.answer(() => ({ status, body }))
    await expect(proof()).rejects.toMatchObject({ reason: 'node_unauthorized' })
    await recorded.close()
  })

  test('a pruned node says from which height it has blocks', async () => {
    const recorded = await openRecordedNode({ getblockchaininfo: errorBody('pruned chain') })
    expect((await recorded.node.chain()).prunedBelow).toBeGreaterThan(1)
    await recorded.close()
  })

  test('a mempool that is still loading says nothing of spends', async () => {
    const loading = resultOf({ loaded: false })
    const recorded = await openRecordedNode({ getmempoolinfo: loading })
    const { node } = recorded
    const reason = { reason: 'node_mempool_loading' }
    await expect(node.output(outpointOf('spent'))).rejects.toMatchObject(reason)
    await expect(node.mempool()).rejects.toMatchObject(reason)
    const spenders = z.tuple([z.array(Outpoint), z.unknown()])
    const [prevouts] = spenders.parse(rpcAnswers['spenders']?.params)
    await expect(node.mempoolSpenders(prevouts)).rejects.toMatchObject(reason)
    await expect(node.testAccept(['00'])).rejects.toMatchObject(reason)
    expect((await node.chain()).mempoolLoaded).toBe(false)
    await recorded.close()
  })

  test('a node before 31 is not given the options that it does not know', async () => {
    const recorded = await openRecordedNode({
      getnetworkinfo: resultOf({ version: 280_000, subversion: '/Satoshi:28.0.0/' }),
      gettxspendingprevout: resultOf([{ txid: UNKNOWN, vout: 1, spendingtxid: tipHash }]),
    })
    const asked = { txid: UNKNOWN, vout: 1 }
    expect(await recorded.node.mempoolSpenders([asked])).toEqual([tipHash])
    expect(await recorded.node.confirmedSpender(asked)).toBeNull()
    const calls = recorded.server.requests.flatMap(({ body }) => requestsIn(body))
    const spending = calls.filter(({ method }) => method === 'gettxspendingprevout')
    expect(spending.map(({ params }) => params)).toEqual([[[asked]]])
    await recorded.close()
  })

  test('a spender index that is missing or not synced cannot be used', async () => {
    const error = '{"jsonrpc":"2.0","error":{"code":-1,"message":"unavailable"},"id":0}'
    const recorded = await openRecordedNode({ gettxspendingprevout: error })
    expect(await recorded.node.confirmedSpender({ txid: UNKNOWN, vout: 1 })).toBeNull()
    await recorded.close()
  })

  test('a transaction index that is being built cannot tell that one is unknown', async () => {
    const message =
      'No such mempool transaction. Blockchain transactions are still in the process of being indexed.'
    const error = `{"jsonrpc":"2.0","error":{"code":-5,"message":"${message}"},"id":0}`
    const recorded = await openRecordedNode({ getrawtransaction: error })
    await expect(recorded.node.transaction(UNKNOWN)).rejects.toMatchObject({
      reason: 'node_unavailable',
    })
    await recorded.close()
  })
})
