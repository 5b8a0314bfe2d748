import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { gatherEvidence, offerExaminer } from '../../src/authorities/gather-evidence.ts'
import type { AssetIndex } from '../../src/ports/authorities/asset-index.ts'
import {
  IndexUnavailableError,
  NodeUnavailableError,
} from '../../src/ports/authorities/authority-errors.ts'
import type { FullNode, OutputAnswer } from '../../src/ports/authorities/full-node.ts'
import type {
  SignatureAnswer,
  SignatureQuestion,
} from '../../src/ports/authorities/signature-checker.ts'
import { Evidence, IndexTrouble, NodeTrouble } from '../../src/schemas/evidence.ts'
import type { OfferClaim } from '../../src/schemas/order-record.ts'
import type { BlockHash } from '../../src/schemas/scalars.ts'
import {
  assetsOf,
  chainStatus,
  checkerWith,
  headerOf,
  indexStatus,
  indexWith,
  inTurn,
  nodeWith,
  unspentAnswer,
} from '../support/chain/scripted-authorities.ts'
import { toOutpointText } from '../support/ids.ts'
import { ManualClock } from '../support/manual-clock.ts'
import {
  askClaim,
  bidClaim,
  blockAt,
  FUNDING,
  FUNDING_OUTPOINT,
  hash,
  inscriptionAt,
  MEDIAN_TIME,
  OUTPOINT,
  OUTPUT_BLOCK,
  PREVOUT,
  TIP_HEIGHT,
} from '../support/orders/evidence.ts'

const VALID: SignatureAnswer = { status: 'valid' }
const SECONDS = 0x00400000

interface Asked {
  node?: Partial<FullNode> | null
  index?: AssetIndex | null
  claims?: OfferClaim[]
  signature?: (question: SignatureQuestion) => SignatureAnswer
}

/** Asks a node that has the output, an index that has examined it, and a valid signature. */
async function gather({ node = {}, index = indexWith(), claims = [askClaim()], signature }: Asked) {
  const checker = checkerWith(signature ?? (() => VALID))
  const evidence = await gatherEvidence(
    {
      node: node && nodeWith({ output: async () => unspentAnswer(), ...node }),
      index,
      signatures: checker,
      clock: new ManualClock(),
    },
    {
      outpoint: OUTPOINT,
      begunAt: { epoch: 1, n: 4 },
      mempoolSequence: 9,
      claims,
      known: { spend: null, outputBlock: null },
    },
  )
  return { evidence: Evidence.parse(evidence), asked: checker.asked }
}
const nodeOf = async (asked: Asked) => (await gather(asked)).evidence.node
const indexOf = async (asked: Asked) => (await gather(asked)).evidence.index
const throws = (error: Error) => async (): Promise<never> => {
  throw error
}

describe('the evidence on an order', () => {
  test('is what both authorities say, with the watermark under which it was requested', async () => {
    const { evidence } = await gather({})
    expect(evidence).toMatchObject({
      begunAt: { epoch: 1, n: 4 },
      mempoolSequence: 9,
      askedAt: '2030-01-01T00:00:00.000Z',
      node: {
        status: 'ready',
        tip: { ...blockAt(TIP_HEIGHT), medianTime: MEDIAN_TIME },
        output: { status: 'unspent', block: OUTPUT_BLOCK, priorMedianTime: null },
        funding: [],
        signatures: [{ digest: hash('wrapper'), status: 'VALID', reason: null, by: 'local' }],
      },
      index: {
        status: 'ready',
        at: { ...blockAt(TIP_HEIGHT), version: 'ord 1' },
        indexed: true,
        inscriptions: [],
        runes: [],
      },
    })
  })

  test('without a node, and without an index', async () => {
    const { evidence } = await gather({ node: null, index: null })
    expect(evidence.node).toEqual({ status: 'unavailable', reason: 'node_unconfigured' })
    expect(evidence.index).toEqual({ status: 'unavailable', reason: 'asset_index_unconfigured' })
  })

  test.each(NodeTrouble.options)('of an unavailable node: %s', async (reason) => {
    const node = await nodeOf({ node: { chain: throws(new NodeUnavailableError(reason, 'away')) } })
    expect(node).toEqual({ status: 'unavailable', reason })
  })

  test.each([
    ['node_in_ibd', { initialBlockDownload: true }],
    ['node_mempool_loading', { mempoolLoaded: false }],
  ] as const)('of a node that answers too early: %s', async (reason, changes) => {
    const node = await nodeOf({ node: { chain: async () => chainStatus(changes) } })
    expect(node).toEqual({ status: 'unavailable', reason })
  })

  test('of a node whose tip moves in between is all of one tip', async () => {
    const old = { ...blockAt(TIP_HEIGHT - 1), medianTime: 1, time: 1 }
    const moved = inTurn(chainStatus({ tip: old }), chainStatus(), chainStatus(), chainStatus())
    expect(await nodeOf({ node: { chain: moved } })).toMatchObject({
      tip: { height: TIP_HEIGHT, medianTime: MEDIAN_TIME },
    })
  })

  test('of a node whose tip keeps moving is not an answer', async () => {
    let height = 0
    const chain = async () => {
      height += 1
      return chainStatus({ tip: { ...blockAt(height), medianTime: 1, time: 1 } })
    }
    expect(await nodeOf({ node: { chain } })).toMatchObject({ reason: 'node_unavailable' })
  })

  test('is not produced when something is broken: a defect is thrown', async () => {
    await expect(gather({ node: { output: throws(new TypeError('a defect')) } })).rejects.toThrow(
      TypeError,
    )
  })
})

describe('the age of an output', () => {
  test('in seconds is requested only where the sequence uses it', async () => {
    const counting = askClaim({ offer: { sequences: [SECONDS | 3] } })
    const prior = headerOf(blockAt(OUTPUT_BLOCK.height - 1).hash)
    expect(await nodeOf({ claims: [counting] })).toMatchObject({
      output: { priorMedianTime: prior?.medianTime },
    })
    for (const sequence of [3, (0x80000000 | SECONDS | 3) >>> 0]) {
      const claims = [askClaim({ offer: { sequences: [sequence] } })]
      expect(await nodeOf({ claims })).toMatchObject({ output: { priorMedianTime: null } })
    }
  })

  test('that the node cannot tell is not an answer, never an old age', async () => {
    const node = {
      header: async (hash: BlockHash) => (hash === blockAt(899).hash ? null : headerOf(hash)),
    }
    const claims = [askClaim({ offer: { sequences: [SECONDS | 3] } })]
    expect(await nodeOf({ node, claims })).toMatchObject({ reason: 'node_unavailable' })
  })
})

describe('signatures', () => {
  test("are checked against the node's prevout, at the seller's index, wrapper by wrapper", async () => {
    const offer = { sellerIndex: 2, sequences: [0, 0, 0xfffffffd] }
    const claims = [
      askClaim({ offer, inspection: { inputCount: 3 } }),
      askClaim({ offer, inspection: { inputCount: 3 }, wrapper: 'other' }),
    ]
    const { evidence, asked } = await gather({
      claims,
      signature: ({ psbt }) =>
        psbt === claims[0]?.artifact ? VALID : { status: 'invalid', reason: 'signature_invalid' },
    })
    expect(asked).toEqual(
      claims.map(({ artifact }) => ({
        psbt: artifact,
        inputIndex: 2,
        prevouts: [null, null, PREVOUT],
      })),
    )
    expect(evidence.node).toMatchObject({
      signatures: [
        { digest: hash('wrapper'), status: 'VALID' },
        { digest: hash('other'), status: 'INVALID', reason: 'signature_invalid' },
      ],
    })
  })

  const FLAW = 'witness_not_standard'

  test.each<[string, SignatureAnswer, object]>([
    ['none', { status: 'none' }, { status: 'NONE', reason: 'signature_invalid', by: 'none' }],
    [
      'one that cannot be judged',
      { status: 'unverifiable' },
      { status: 'UNAVAILABLE', reason: 'signature_unverifiable', by: 'none' },
    ],
    [
      'one that lacks its byte',
      { status: 'invalid', reason: 'sighash_byte_missing_recoverable' },
      { status: 'INVALID', reason: 'sighash_byte_missing_recoverable', by: 'local' },
    ],
  ])('%s', async (_, answer, expected) => {
    expect(await nodeOf({ signature: () => answer })).toMatchObject({ signatures: [expected] })
  })

  test.each([
    [true, null, { status: 'VALID', reason: null, by: 'node' }],
    [true, FLAW, { status: 'INVALID', reason: FLAW, by: 'node' }],
    [false, null, { status: 'INVALID', reason: 'signature_invalid', by: 'node' }],
    [false, FLAW, { status: 'INVALID', reason: 'signature_invalid', by: 'node' }],
  ] as const)('of other scripts are the node’s: %s, %s', async (isFinal, flaw, expected) => {
    const asked: unknown[] = []
    const node = {
      inputIsFinal: async (...question: unknown[]) => {
        asked.push(question)
        return isFinal
      },
    }
    const question = { psbt: 'reduced', inputIndex: 0 }
    const signature = () => ({ status: 'ask-node', flaw, ...question }) as const
    expect(await nodeOf({ node, signature })).toMatchObject({ signatures: [expected] })
    expect(asked).toEqual([['reduced', 0]])
  })

  test('are not checked where no authority knows the output', async () => {
    const { evidence, asked } = await gather({
      node: { output: async () => ({ status: 'absent' }) },
    })
    expect(evidence.node).toMatchObject({ output: { status: 'missing' }, signatures: [] })
    expect(asked).toEqual([])
  })
})

describe('a bid', () => {
  const second = { valueSats: '1', scriptHex: FUNDING.scriptHex }
  const SECOND_OUTPOINT = toOutpointText(`${hash('second funding')}:0`)
  const outputsOf = (answers: Record<string, OutputAnswer>): Partial<FullNode> => ({
    output: async ({ txid, vout }) => answers[`${txid}:${vout}`] ?? { status: 'absent' },
    outputs: async (outpoints) =>
      outpoints.map(({ txid, vout }) => answers[`${txid}:${vout}`] ?? { status: 'absent' }),
  })
  const all = {
    [OUTPOINT]: unspentAnswer(),
    [FUNDING_OUTPOINT]: unspentAnswer({ output: FUNDING }),
    [SECOND_OUTPOINT]: unspentAnswer({ output: second }),
  }

  test.each([
    [0, [PREVOUT, FUNDING, second], [1, 2]],
    [1, [FUNDING, PREVOUT, second], [0, 2]],
    [2, [FUNDING, second, PREVOUT], [0, 1]],
  ])(
    'with the asset at input %d has every prevout in its place',
    async (sellerIndex, prevouts, at) => {
      const bid = bidClaim({
        offer: { sellerIndex, funding: [FUNDING_OUTPOINT, SECOND_OUTPOINT], sequences: [0, 0, 0] },
        inspection: { inputCount: 3, inputWitnessUtxos: prevouts },
      })
      const { evidence, asked } = await gather({ claims: [bid], node: outputsOf(all) })
      // By its own data first, then by the node's.
      expect(asked.map(({ inputIndex }) => inputIndex)).toEqual([...at, ...at])
      for (const question of asked) expect(question.prevouts).toEqual(prevouts)
      expect(evidence.node).toMatchObject({
        funding: [
          { outpoint: FUNDING_OUTPOINT, output: { output: FUNDING }, signature: 'VALID' },
          { outpoint: SECOND_OUTPOINT, output: { output: second }, signature: 'VALID' },
        ],
        signatures: [{ digest: bid.inspection.digest, status: 'VALID' }],
      })
    },
  )

  test('in several wrappers is judged by the worst input of each', async () => {
    const claims = [bidClaim(), bidClaim({ wrapper: 'broken' })]
    const node = await nodeOf({
      claims,
      node: outputsOf(all),
      signature: ({ psbt }) =>
        psbt === claims[1]?.artifact ? { status: 'invalid', reason: 'signature_invalid' } : VALID,
    })
    expect(node).toMatchObject({
      funding: [{ signature: 'VALID' }],
      signatures: [{ status: 'VALID' }, { status: 'INVALID', reason: 'signature_invalid' }],
    })
  })

  test('whose funding is incomplete does not get its signatures checked', async () => {
    const { evidence, asked } = await gather({
      claims: [bidClaim({ inspection: { inputWitnessUtxos: [PREVOUT, null] } })],
      node: outputsOf({ [OUTPOINT]: unspentAnswer() }),
    })
    expect(asked).toEqual([])
    expect(evidence.node).toMatchObject({
      funding: [{ output: { status: 'missing' }, signature: 'UNAVAILABLE' }],
      signatures: [],
    })
  })

  describe('of sixteen inputs of its own', () => {
    const outpoints = Array.from({ length: 16 }, (_, at) =>
      toOutpointText(`${hash(`funding ${at}`)}:0`),
    )
    const utxos = [PREVOUT, ...outpoints.map(() => FUNDING)]
    const bid = bidClaim({
      offer: { funding: outpoints, sequences: utxos.map(() => 0) },
      inspection: { inputCount: utxos.length, inputWitnessUtxos: utxos },
    })
    /** How often each query was sent to node and index. */
    async function counting(there: readonly string[], signature = VALID) {
      const calls: Record<string, number> = {}
      const counted = <T extends object>(of: T): T =>
        new Proxy(of, {
          get: (target, name) => {
            calls[`${String(name)}`] = (calls[`${String(name)}`] ?? 0) + 1
            return Reflect.get(target, name)
          },
        })
      const known = Object.fromEntries(
        [OUTPOINT, ...there].map((text) => [
          text,
          unspentAnswer({ output: text === OUTPOINT ? PREVOUT : FUNDING }),
        ]),
      )
      const node = counted(nodeWith(outputsOf(known)))
      const index = counted(indexWith())
      const clock = new ManualClock()
      const checker = checkerWith(() => signature)
      const evidence = await gatherEvidence(
        { node, index, signatures: checker, clock },
        {
          outpoint: OUTPOINT,
          begunAt: null,
          mempoolSequence: null,
          claims: [bid],
          known: { spend: null, outputBlock: null },
        },
      )
      return { node: evidence.node, calls, total: Object.values(calls).reduce((a, b) => a + b, 0) }
    }

    test('that all exist cost one query together', async () => {
      const { node, calls, total } = await counting(outpoints)
      expect(node).toMatchObject({ signatures: [{ status: 'VALID' }] })
      expect(calls['outputs']).toBe(1)
      expect(total).toBeLessThanOrEqual(32)
    })

    test('of which one is missing stops at it, and the index is not asked', async () => {
      const { node, calls, total } = await counting(outpoints.slice(0, 3))
      expect(node).toMatchObject({
        funding: [{ outpoint: outpoints[3], output: { status: 'missing' } }],
        signatures: [],
      })
      expect(calls['status']).toBeUndefined()
      expect(total).toBeLessThanOrEqual(8)
    })

    test('whose signatures are wrong by its own data gets none of them checked', async () => {
      const wrong = { status: 'invalid', reason: 'signature_invalid' } as const
      const { node, calls, total } = await counting([], wrong)
      expect(node).toMatchObject({ funding: [], signatures: [{ status: 'INVALID' }] })
      expect([calls['outputs'], calls['status']]).toEqual([undefined, undefined])
      expect(total).toBeLessThanOrEqual(8)
    })
  })

  test('asks for the age of its own inputs where they use it', async () => {
    const bid = bidClaim({ offer: { sequences: [0xfffffffd, SECONDS | 1] } })
    expect(await nodeOf({ claims: [bid], node: outputsOf(all) })).toMatchObject({
      output: { priorMedianTime: null },
      funding: [{ output: { priorMedianTime: expect.any(Number) } }],
    })
  })
})

describe('the index', () => {
  test.each<[string, SignatureAnswer]>([
    ['wrong', { status: 'invalid', reason: 'signature_invalid' }],
    ['not there', { status: 'none' }],
    ['not to be judged', { status: 'unverifiable' }],
  ])('is not asked about an ask whose signature is %s', async (_, answer) => {
    const index = indexWith({ status: throws(new TypeError('asked')) })
    expect(await indexOf({ index, signature: () => answer })).toEqual({
      status: 'unavailable',
      reason: 'asset_index_not_asked',
    })
  })

  test.each<[string, Partial<FullNode>]>([
    ['unconfirmed', { output: async () => unspentAnswer({ confirmations: 0 }) }],
    ['missing', { output: async () => ({ status: 'absent' }) }],
  ])('is not asked about an output that is %s', async (_, node) => {
    const index = indexWith({ status: throws(new TypeError('asked')) })
    expect(await indexOf({ node, index })).toEqual({
      status: 'unavailable',
      reason: 'asset_index_not_asked',
    })
  })

  test('says what it holds', async () => {
    const inscriptions = [inscriptionAt()]
    const index = indexWith({ output: async () => assetsOf({ inscriptions, runes: null }) })
    expect(await indexOf({ index })).toMatchObject({ indexed: true, inscriptions, runes: null })
  })

  test('that does not know the output has not examined it', async () => {
    const index = indexWith({ output: async () => null })
    expect(await indexOf({ index })).toMatchObject({ status: 'ready', indexed: false })
  })

  test('that lags on the same chain counts', async () => {
    const lagging = indexWith({ status: async () => indexStatus({ tip: blockAt(950) }) })
    expect(await indexOf({ index: lagging })).toMatchObject({
      status: 'ready',
      at: { height: 950 },
    })
  })

  const other = blockAt(TIP_HEIGHT, 'stale')
  test.each<[string, Partial<AssetIndex>, string]>([
    ['is on another chain', { status: async () => indexStatus({ tip: other }) }, 'behind'],
    [
      'is above the tip of the node',
      { status: async () => indexStatus({ tip: blockAt(TIP_HEIGHT + 1) }) },
      'behind',
    ],
    ['has no block yet', { status: async () => indexStatus({ tip: null }) }, 'behind'],
    [
      'switches to another chain meanwhile',
      { status: inTurn(indexStatus(), indexStatus({ tip: other })) },
      'behind',
    ],
    [
      'is another index meanwhile',
      { status: inTurn(indexStatus(), indexStatus({ version: 'ord 2' })) },
      'behind',
    ],
    [
      'cannot recover from a reorg',
      { status: async () => indexStatus({ unrecoverablyReorged: true }) },
      'reorged',
    ],
  ])('that %s is not', async (_, answers, reason) => {
    expect(await indexOf({ index: indexWith(answers) })).toEqual({
      status: 'unavailable',
      reason: `asset_index_${reason}`,
    })
  })

  test.each(IndexTrouble.options)('that is unavailable: %s', async (reason) => {
    const index = indexWith({ output: throws(new IndexUnavailableError(reason, 'away')) })
    expect(await indexOf({ index })).toEqual({ status: 'unavailable', reason })
  })

  const onStale = chainStatus({
    tip: { ...blockAt(TIP_HEIGHT, 'stale'), medianTime: MEDIAN_TIME, time: MEDIAN_TIME },
  })
  const lagging = { status: async () => indexStatus({ tip: blockAt(TIP_HEIGHT - 1) }) }
  test.each([
    ['of another block at the same height', {}],
    ['that lags', lagging],
  ])('%s, asked after the node switched to its chain: both are asked again', async (_, index) => {
    const chain = inTurn(onStale, chainStatus())
    const { evidence } = await gather({ node: { chain }, index: indexWith(index) })
    expect(evidence.node).toMatchObject({ tip: blockAt(TIP_HEIGHT) })
    expect(evidence.index).toMatchObject({ status: 'ready' })
  })

  test('of a chain that the node never was on when it was asked is behind', async () => {
    const { evidence } = await gather({ node: { chain: async () => onStale } })
    expect(evidence.node.status).toBe('ready')
    expect(evidence.index).toEqual({ status: 'unavailable', reason: 'asset_index_behind' })
  })

  test('is not blamed for a node that becomes unavailable meanwhile', async () => {
    const blockHash = throws(new NodeUnavailableError('node_unavailable', 'away'))
    const output = async () => unspentAnswer({ confirmations: 1 })
    const { evidence } = await gather({ node: { output, blockHash }, index: indexWith(lagging) })
    expect(evidence.node).toEqual({ status: 'unavailable', reason: 'node_unavailable' })
  })
})

test('questions that are cut off halfway leave nothing that nobody awaits', async () => {
  const stop = new AbortController()
  const examiner = offerExaminer({
    node: nodeWith({ output: async () => unspentAnswer() }),
    // Where it lags, node and index are asked side by side.
    index: indexWith({ status: async () => indexStatus({ tip: blockAt(TIP_HEIGHT - 1) }) }),
    signatures: checkerWith(() => {
      stop.abort(new Error('over'))
      return VALID
    }),
    clock: new ManualClock(),
  })
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  await expect(examiner.examine(OUTPOINT, [askClaim()], stop.signal)).rejects.toThrow('over')
  await setImmediate()
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

test('each output is requested by its own outpoint', async () => {
  const asked: string[] = []
  await gather({
    node: {
      output: async ({ txid, vout }) => {
        asked.push(`${txid}:${vout}`)
        return unspentAnswer()
      },
    },
  })
  expect(asked).toEqual([OUTPOINT])
})
