import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { gatherProofs } from '../../../src/gateway/dispute/gather-proofs.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { BlockHash } from '../../../src/schemas/scalars.ts'
import {
  openRecordedNode,
  type RecordedNode,
  recordedAnswer,
  requestsIn,
  resultOf,
} from '../../adapters/bitcoind/recorded-node.ts'
import { rpcAnswers } from '../../support/chain/recorded-answers.ts'
import { marketLives } from '../../support/statistics/market-lives.ts'

// What an order's bundle has when the node does not return everything.

const [hash] = z.tuple([BlockHash]).parse(rpcAnswers['header']?.params)
const block = { height: 7, hash }
const HEADER = '00'.repeat(80)
const [[{ set } = { set: null }] = []] = marketLives(1, 5)
const order = { ...set, outputBlock: block } as OrderRecord

const replies = {
  getrawtransaction: resultOf('01000000000000000000'),
  getblockheader: resultOf(HEADER),
}

let recorded: RecordedNode
afterEach(() => recorded.close())

test('a pruned block has no proof, but has its header', async () => {
  const pruned = rpcAnswers['pruned proof']?.body ?? ''
  recorded = await openRecordedNode({ ...replies, gettxoutproof: pruned })
  expect(await gatherProofs(recorded.node, order, [block])).toEqual({
    output: null,
    spend: null,
    headers: [{ hash, header: HEADER }],
  })
})

test('nor does a node whose login may not ask for one', async () => {
  recorded = await openRecordedNode()
  const { status = 0, body = '' } = rpcAnswers['refused proof'] ?? {}
  const others = recordedAnswer(replies)
  recorded.server.answer((request) =>
    requestsIn(request.body).some(({ method }) => method === 'gettxoutproof')
      ? { status, body }
      : others(request),
  )
  expect(await gatherProofs(recorded.node, order, [block])).toEqual({
    output: null,
    spend: null,
    headers: [{ hash, header: HEADER }],
  })
})

test('a node that refuses the login, or does not answer, is unavailable: that proves nothing', async () => {
  recorded = await openRecordedNode(replies)
  recorded.server.answer(() => ({ status: 403, body: '' }))
  await expect(gatherProofs(recorded.node, order, [block])).rejects.toMatchObject({
    reason: 'node_unauthorized',
  })
  await recorded.server.close()
  await expect(gatherProofs(recorded.node, order, [block])).rejects.toMatchObject({
    reason: 'node_unavailable',
  })
})
