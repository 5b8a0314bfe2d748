import type { Transaction } from 'bitcoinjs-lib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openSigner } from '../../src/pairing/agreement/signing.ts'
import {
  AgreementEnvelope,
  type CheckpointTuple,
  COMPARED_FIELDS,
  ReadinessSnapshot,
} from '../../src/schemas/api/pairing.ts'
import { type FaultyProxy, openFaultyProxy } from '../support/faults/faulty-proxy.ts'
import {
  answerOf,
  causesOf,
  keyIdOf,
  outcomesOf,
  PairingDeployments,
} from '../support/pairing/pairing-deployments.ts'
import { waitUntil } from '../support/services/programs.ts'

// Two deployments, each a process with its own Bitcoin Core, store and key. A queries B through a
// proxy that forwards, fails, or answers in B's place as the test says.

const UNAVAILABLE = '{"status":"verification_unavailable","error":"verification_unavailable"}'
const OBJECTS = ['first', 'second', 'third'] as const

let pair: PairingDeployments
let proxy: FaultyProxy
let created: Transaction[]
let objectKey: string

beforeAll(async () => {
  pair = await PairingDeployments.open()
  proxy = await openFaultyProxy(pair.b.address)
  pair.peerUrl = proxy.url
  await pair.mineCoins(110)
  created = []
  for (const [at, label] of OBJECTS.entries()) {
    const transaction = await pair.createObject(at + 1, label)
    created.push(transaction)
    await pair.mine([transaction])
  }
  await Promise.all([pair.start(pair.a), pair.start(pair.b)])
  await level()
  const found = await answerOf(pair.a, '/pairing/objects')
  objectKey = JSON.parse(found.body).items[2].objectKey
})
afterAll(async () => {
  await proxy?.close()
  await pair?.close()
})
beforeEach(() => proxy.decide(() => 'pass'))
afterEach(async () => {
  proxy.decide(() => 'pass')
})

const level = () => Promise.all([pair.level(pair.a), pair.level(pair.b)])
const read = () => answerOf(pair.a, `/pairing/verified/objects/${objectKey}`)

/** It is withheld for this cause, in log and metric, and the body does not mention it. */
async function withheldFor(cause: string): Promise<void> {
  const before = (await outcomesOf(pair.a))[cause] ?? 0
  const { status, body } = await read()
  expect([status, body]).toEqual([503, UNAVAILABLE])
  expect(await outcomesOf(pair.a)).toMatchObject({ [cause]: before + 1 })
  expect(causesOf(pair.a)).toContain(cause)
}

/** The same process answers again. */
async function recovers(): Promise<void> {
  proxy.decide(() => 'pass')
  await level()
  await waitUntil('a verified answer', async () => (await read()).status === 200)
}

/** B's answer with another tuple, signed by its own key. */
function liar(alter: (tuple: CheckpointTuple) => CheckpointTuple) {
  const signer = openSigner('B', {
    keyId: keyIdOf(pair.b),
    privateKey: pair.b.privateKey,
    release: { name: 'market', version: 'test', commit: 'test', digest: 'test' },
  })
  return (tuple: CheckpointTuple) => JSON.stringify(signer?.seal(alter(tuple)))
}

const ownTuple = async (): Promise<CheckpointTuple> => {
  const { body } = await answerOf(pair.b, '/pairing/checkpoints?limit=1')
  return JSON.parse(body).items[0]
}

test('both sign for the same nine fields, and a verified read says so', async () => {
  const { status, body } = await read()
  expect(status, causesOf(pair.a).at(-1)).toBe(200)
  const { data, agreement } = JSON.parse(body)
  const direct = await answerOf(pair.b, `/pairing/objects/${objectKey}`)
  expect(data).toEqual(JSON.parse(direct.body))
  const height = await pair.a.core.rpc('getblockcount')
  expect(agreement).toEqual({
    height,
    blockHash: await pair.a.core.rpc('getbestblockhash'),
    checkpointHash: (await ownTuple()).checkpointHash,
    keyIds: { A: keyIdOf(pair.a), B: keyIdOf(pair.b) },
  })
  const [fromA, fromB] = await Promise.all(
    [pair.a, pair.b].map(async (one) =>
      AgreementEnvelope.parse(
        JSON.parse((await answerOf(one, `/pairing/agreement/${height}`)).body),
      ),
    ),
  )
  expect(fromA?.tuple).toEqual(fromB?.tuple)
  expect([fromA?.pipeline, fromB?.pipeline]).toEqual(['A', 'B'])
})

test('B takes A for its peer as well', async () => {
  const { status } = await answerOf(pair.b, `/pairing/verified/objects/${objectKey}`)
  expect(status, causesOf(pair.b).at(-1)).toBe(200)
})

test.each(COMPARED_FIELDS)('B lies in %s', async (field) => {
  const lie = liar((tuple) => ({ ...tuple, [field]: field === 'height' ? '1' : 'f'.repeat(64) }))
  const tuple = await ownTuple()
  proxy.decide(() => ({ status: 200, body: lie(tuple) }))
  const causes: Partial<Record<string, string>> = {
    deployment: 'wrong_deployment',
    height: 'wrong_height',
  }
  await withheldFor(causes[field] ?? `${field}_differs`)
  await recovers()
})

test('a forged signature, a foreign key, another letter', async () => {
  const { body } = await answerOf(pair.b, `/pairing/agreement/${(await ownTuple()).height}`)
  const envelope = AgreementEnvelope.parse(JSON.parse(body))
  const say = (said: unknown) => proxy.decide(() => ({ status: 200, body: JSON.stringify(said) }))
  say({ ...envelope, signature: 'ab'.repeat(64) })
  await withheldFor('peer_invalid_signature')
  say({ ...envelope, keyId: 'somebody' })
  await withheldFor('peer_unknown_key')
  say({ ...envelope, pipeline: 'A' })
  await withheldFor('peer_wrong_pipeline')
  say({ ...envelope, more: 'x' })
  await withheldFor('peer_envelope_malformed')
  await recovers()
})

test('B is slow, cut off, empty, oversized, or says no', async () => {
  proxy.decide(() => 'hang')
  await withheldFor('peer_timeout')
  proxy.decide(() => 'cut')
  await withheldFor('peer_unreachable')
  proxy.decide(() => ({ status: 200, body: '' }))
  await withheldFor('peer_empty')
  proxy.decide(() => ({ status: 200, body: ' '.repeat(65_537) }))
  await withheldFor('peer_too_large')
  proxy.decide(() => ({ status: 500, body: '{}' }))
  await withheldFor('peer_status')
  await recovers()
})

test('B is down, and comes back', async () => {
  await pair.end(pair.b)
  await withheldFor('peer_unreachable')
  await pair.start(pair.b)
  await recovers()
})

test('an absent object is 404 while verification is broken', async () => {
  proxy.decide(() => 'cut')
  const { status, body } = await answerOf(pair.a, `/pairing/verified/objects/${'0'.repeat(64)}`)
  expect([status, body]).toEqual([
    404,
    '{"message":"object not found","error":"Not Found","statusCode":404}',
  ])
  await recovers()
})

test('a block that comes between the two checks', async () => {
  await pair.end(pair.a)
  await pair.start(pair.a, { PAIRING_B_TIMEOUT_MS: '60000' })
  await recovers()
  let asked = 0
  // B answers for the previous tip when both have folded the next block.
  proxy.decide(async (): Promise<'pass'> => {
    asked += 1
    if (asked > 1) return 'pass'
    await pair.mine()
    await level()
    return 'pass'
  })
  await withheldFor('agreement_changed')
  expect(asked).toBe(2)
  expect(causesOf(pair.a)).not.toContain('check_failed')
  await pair.end(pair.a)
  await pair.start(pair.a)
  await recovers()
})

test('the nodes are on different branches: they diverge, and agree again on the longer one', async () => {
  const onA = await pair.mineOn(pair.a)
  const onB = await pair.mineOn(pair.b)
  await level()
  await withheldFor('blockHash_differs')
  const longer = await pair.mineOn(pair.b, created[1] ? [pair.releaseObject(created[1])] : [])
  await pair.give(onB, pair.b, pair.a)
  await pair.give(longer, pair.b, pair.a)
  await recovers()
  expect(await pair.a.core.rpc('getbestblockhash')).toBe(longer)
  expect(onA).not.toBe(onB)
  const { body } = await answerOf(pair.a, '/pairing/objects')
  expect(JSON.parse(body).items.map(({ status }: { status: string }) => status)).toEqual([
    'active',
    'released',
    'active',
  ])
})

test("A's node is away: four gates, one body; it continues when the node is back", async () => {
  await pair.a.core.stop()
  await waitUntil('not ready', async () => (await answerOf(pair.a, '/ready')).status === 503)
  const snapshot = ReadinessSnapshot.parse(JSON.parse((await answerOf(pair.a, '/ready')).body))
  expect(snapshot.reasons).toEqual([
    'bitcoin_core_unavailable',
    'bitcoin_network_mismatch',
    'bitcoin_core_initial_block_download',
    'node_height_unknown',
  ])
  await withheldFor('not_ready')
  await pair.a.core.start()
  await recovers()
})

const KILLS = 8

test('SIGKILL during catch-up, eight times: the same checkpoints as without', async () => {
  for (let round = 0; round < 10; round += 1) {
    await pair.mineCoins(100)
    await pair.mine([await pair.createObject(10 + round, `round-${round}`)])
  }
  await pair.end(pair.a)
  await pair.level(pair.b)
  pair.forget(pair.a)
  const node = await openFaultyProxy(pair.a.core.url)
  try {
    // It is killed where it waits for a block: at another one each time, and behind the tip.
    let asked = 0
    const giveBlocks = (limit: number) => {
      asked = 0
      node.decide(({ body }) => (body.includes('"getblock"') && ++asked > limit ? 'hang' : 'pass'))
    }
    for (let kills = 0; kills < KILLS; kills += 1) {
      const limit = 20 + 5 * kills
      giveBlocks(limit)
      pair.launch(pair.a, { BITCOIN_RPC_URL: node.url })
      await waitUntil('it waits for a block', () => asked > limit)
      await pair.end(pair.a, 'SIGKILL')
    }
    giveBlocks(Number.POSITIVE_INFINITY)
    await pair.start(pair.a, { BITCOIN_RPC_URL: node.url })
    await level()
    const nodeHeight = Number(await pair.a.core.rpc('getblockcount'))
    expect(asked, 'it continued, and did not begin anew').toBeLessThan(nodeHeight - KILLS * 15)
    for (let height = 0; height <= nodeHeight; height += height < 1_000 ? 100 : 1) {
      const [fromA, fromB] = await Promise.all(
        [pair.a, pair.b].map(async (one) =>
          AgreementEnvelope.parse(
            JSON.parse((await answerOf(one, `/pairing/agreement/${height}`)).body),
          ),
        ),
      )
      expect(fromA?.tuple).toEqual(fromB?.tuple)
    }
    await recovers()
  } finally {
    await node.close()
  }
})
