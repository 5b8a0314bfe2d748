import { describe, expect, test } from 'vitest'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { type FeedImporter, readFromFeed } from '../../../src/gateway/intake/import-from-feed.ts'
import { Allowances } from '../../../src/runtime/token-bucket.ts'
import type {
  NodeEvidence,
  OutputEvidence,
  SignatureEvidence,
} from '../../../src/schemas/evidence.ts'
import type { OfferClaim } from '../../../src/schemas/order-record.ts'
import type { NostrEvent } from '../../../src/schemas/wire/nostr.ts'
import type { IntakeItem } from '../../../src/streams/feeds/dedupe.ts'
import { artifactsHere } from '../../support/artifacts-here.ts'
import { toBlockHash, toOutpointText } from '../../support/ids.ts'
import { MemoryLog } from '../../support/log/memory-log.ts'
import {
  evidenceOf,
  nodeSays as readyNode,
  signatureOf,
  unspent,
} from '../../support/orders/evidence.ts'
import { DEFAULT_PREVOUT, makeAsk, makeBid } from '../../support/orders/psbt-orders.ts'
import { saleEvent } from '../../support/orders/sale-event.ts'
import { systemClock } from '../../support/system-clock.ts'

const UNSPENT: OutputEvidence = {
  status: 'unspent',
  output: { valueSats: '10000', scriptHex: '51' },
  coinbase: false,
  block: null,
  priorMedianTime: null,
}
const event = (told: NostrEvent): IntakeItem => ({ kind: 'event', id: told.id, event: told })
const offer = (psbt: string): IntakeItem => ({ kind: 'offer', id: 'a', psbt })
const GOOD = { outcome: 'imported', isLie: false, isSettled: true }
const NEVER = new AbortController().signal

type Ready = Extract<NodeEvidence, { status: 'ready' }>

/**
 * A node for which every output exists and every signature is its owner's, unless said otherwise.
 */
const nodeSays =
  ({ signature = {}, ...said }: Partial<Ready> & { signature?: Partial<SignatureEvidence> } = {}) =>
  async (_outpoint: string, [claim]: readonly OfferClaim[]): Promise<Ready> => ({
    status: 'ready',
    tip: { height: 1, hash: toBlockHash('00'.repeat(32)), medianTime: 0 },
    output: UNSPENT,
    funding: [],
    signatures: [
      {
        digest: claim?.inspection.digest ?? '',
        status: 'VALID',
        reason: null,
        by: 'local',
        ...signature,
      },
    ],
    ...said,
  })

interface ToldOptions {
  log?: MemoryLog
  examine?: FeedImporter['examine']
  orders?: Allowances
  signal?: AbortSignal
}

async function told(
  item: IntakeItem,
  { log = new MemoryLog(), examine = nodeSays(), signal = NEVER, ...options }: ToldOptions = {},
) {
  const faults: unknown[] = []
  let examined = 0
  const importer: FeedImporter = {
    log,
    clock: systemClock,
    newRequestId: () => 'request',
    artifacts: artifactsHere,
    settings: { network: 'regtest' as const },
    examine: (...asked) => {
      examined += 1
      return examine(...asked)
    },
    orders: options.orders ?? new Allowances({ perSecond: 1, burst: 1 }),
    onFault: (fault) => faults.push(fault),
  }
  const read = await readFromFeed(importer, item)
  const judged = 'prove' in read ? await read.prove(signal) : read
  return { read, judged, faults, records: log.records, examined }
}

describe('what a feed delivers is imported through the log alone', () => {
  test('an event with its signer’s claims', async () => {
    const sale = saleEvent(makeAsk().psbt, [
      ['s', '777'],
      ['i', `${'ab'.repeat(32)}i0`],
    ])
    const { judged, records } = await told(event(sale))
    expect(judged).toEqual(GOOD)
    expect(records).toMatchObject([
      {
        topic: 'orders.inbox',
        key: `${DEFAULT_PREVOUT.txid}:0`,
        value: {
          kind: 'command',
          command: 'import',
          requestId: 'request',
          outpoint: `${DEFAULT_PREVOUT.txid}:0`,
          claim: {
            source: {
              source: 'portable-nostr802',
              sourceId: sale.id,
              eventId: sale.id,
              eventPubkey: sale.pubkey,
              signatureVerified: true,
              claimedPriceSats: '777',
            },
          },
        },
      },
    ])
  })

  test.each([
    ['a bid', makeBid().psbt, 'BID'],
    ['an ask', makeAsk().psbt, 'ASK'],
  ])('an offer that is %s, without any claim', async (_name, psbt, side) => {
    const { judged, records } = await told(offer(psbt))
    expect(judged).toEqual(GOOD)
    expect(records).toMatchObject([{ value: { claim: { offer: { side }, notes: [] } } }])
    const [{ value } = { value: null }] = records
    const { claim } = value as { claim: { source: object; inspection: { digest: string } } }
    expect(claim.source).toEqual({
      source: 'asset-offers',
      sourceId: claim.inspection.digest,
      observedAt: expect.any(String),
    })
  })

  test('publishers are the keys of events, and the outputs of offers', async () => {
    const sale = saleEvent(makeAsk().psbt, [])
    const { artifact } = inspectPsbt(sale.content)
    const size = artifact.length + 256
    expect((await told(event(sale))).read).toMatchObject({ publisher: sale.pubkey, size })
    const publisher = `${DEFAULT_PREVOUT.txid}:0`
    expect((await told(offer(makeAsk().psbt))).read).toMatchObject({ publisher, size })
  })
})

test('evidence that was gathered before travels with the command', async () => {
  const evidence = evidenceOf()
  const { judged, records } = await told(offer(makeAsk().psbt), {
    examine: async () => ({ evidence }),
  })
  expect(judged).toEqual(GOOD)
  expect(records).toMatchObject([{ value: { command: 'import', evidence } }])
  const { records: without } = await told(offer(makeAsk().psbt), {
    examine: async () => ({ evidence: null }),
  })
  expect(without[0]?.value).not.toHaveProperty('evidence')
})

describe('what is refused', () => {
  const sale = saleEvent(makeAsk().psbt, [])
  const other = saleEvent(makeBid().psbt, [])

  test.each<[string, IntakeItem, object]>([
    [
      'an event with another id',
      event({ ...sale, id: other.id }),
      { outcome: 'invalid_event', isLie: true, isSettled: false },
    ],
    [
      'an event with another signature',
      event({ ...sale, sig: other.sig }),
      { outcome: 'invalid_event', isLie: true, isSettled: false },
    ],
    [
      'an event with other content',
      event({ ...sale, content: other.content }),
      { outcome: 'invalid_event', isLie: true, isSettled: false },
    ],
    [
      'an event with too many tags: honest relays have such',
      event(
        saleEvent(
          '',
          Array.from({ length: 101 }, () => ['t']),
        ),
      ),
      { outcome: 'invalid_event', isLie: false, isSettled: false },
    ],
    [
      'an event of another network',
      event(saleEvent(makeAsk().psbt, [['n', 'signet']])),
      { outcome: 'wrong_network', isLie: false, isSettled: false },
    ],
    [
      'an event without a PSBT',
      event(saleEvent('hello', [])),
      { outcome: 'invalid_psbt', isLie: false, isSettled: true },
    ],
    [
      'an event with a PSBT that is too large',
      event(saleEvent('A'.repeat(100_000), [])),
      { outcome: 'psbt_too_large', isLie: false, isSettled: true },
    ],
    [
      'an offer without a PSBT',
      offer('hello'),
      { outcome: 'invalid_psbt', isLie: false, isSettled: true },
    ],
    [
      'an event with an unsigned PSBT',
      event(saleEvent(makeAsk({ unsigned: true }).psbt, [])),
      { outcome: 'unsupported_order', isLie: false, isSettled: true },
    ],
    [
      'an unsigned offer',
      offer(makeAsk({ unsigned: true }).psbt),
      { outcome: 'unsupported_order', isLie: false, isSettled: true },
    ],
    [
      'a bid that is not funded',
      offer(makeBid({ priceSats: '95000' }).psbt),
      { outcome: 'unsupported_order', isLie: false, isSettled: true },
    ],
  ])('%s', async (_name, item, wanted) => {
    const { judged, records, faults, examined } = await told(item)
    expect(judged).toEqual(wanted)
    expect([records, faults, examined]).toEqual([[], [], 0])
  })

  test('a bug before the id is checked: it is reported, stops nothing, and settles no event', async () => {
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new TypeError('a bug')
        },
      },
    )
    const { judged, faults } = await told({ kind: 'event', id: 'a', event: trap })
    expect(judged).toEqual({ outcome: 'internal', isLie: false, isSettled: false })
    expect(faults).toEqual([new TypeError('a bug')])
  })
})

describe('what the node does not prove leaves no trace', () => {
  const ask = offer(makeAsk().psbt)
  const bid = offer(makeBid().psbt)
  const missing = { status: 'missing' as const }
  const spent = { status: 'spent' as const, output: null, block: null, by: null }
  const funding = (output: OutputEvidence) => [
    { outpoint: toOutpointText(`${'ab'.repeat(32)}:0`), output, signature: 'UNAVAILABLE' as const },
  ]

  test.each<[string, IntakeItem, FeedImporter['examine'], [string, boolean]]>([
    ['no such output', ask, nodeSays({ output: missing }), ['unknown_output', false]],
    [
      'an output that is spent',
      ask,
      nodeSays({ output: { ...spent, confirmed: true } }),
      ['spent_output', true],
    ],
    [
      'an output that may be spent',
      ask,
      nodeSays({ output: { ...spent, confirmed: false } }),
      ['spent_output', false],
    ],
    [
      'a bid without its funds',
      bid,
      nodeSays({ funding: funding(missing), signatures: [] }),
      ['unknown_output', false],
    ],
    [
      'a bid whose funds are spent',
      bid,
      nodeSays({ funding: funding({ ...spent, confirmed: true }), signatures: [] }),
      ['spent_output', false],
    ],
    [
      "another's signature",
      ask,
      nodeSays({ signature: { status: 'INVALID', reason: 'signature_invalid' } }),
      ['bad_signature', true],
    ],
    [
      'a signature that cannot be checked',
      ask,
      nodeSays({ signature: { status: 'UNAVAILABLE', reason: 'signature_unverifiable' } }),
      ['bad_signature', true],
    ],
    ['no signature', ask, nodeSays({ signatures: [] }), ['bad_signature', true]],
    [
      'a bid that lacks a sighash byte',
      bid,
      nodeSays({ signature: { status: 'INVALID', reason: 'sighash_byte_missing_recoverable' } }),
      ['bad_signature', true],
    ],
    ['nothing that can be judged', ask, async () => 'unexaminable', ['unexaminable', false]],
  ])('%s', async (_name, item, examine, [outcome, isSettled]) => {
    const { judged, records } = await told(item, { examine })
    expect([judged, records]).toEqual([{ outcome, isLie: false, isSettled }, []])
  })

  test('an ask that lacks its sighash byte is signed by its owner: it is imported', async () => {
    const signature = { status: 'INVALID', reason: 'sighash_byte_missing_recoverable' } as const
    const { judged, records } = await told(ask, { examine: nodeSays({ signature }) })
    expect([judged, records.length]).toEqual([GOOD, 1])
  })

  test('while the node is unavailable the feed waits', async () => {
    const examine = async () => ({ status: 'unavailable', reason: 'node_in_ibd' }) as const
    await expect(told(ask, { examine })).rejects.toMatchObject({
      name: 'FeedError',
      trouble: 'node_away',
      message: 'the node gives no answer: node_in_ibd',
    })
  })

  test('a bug in the examination is reported, and stops nothing', async () => {
    const examine = () => Promise.reject(new TypeError('a bug'))
    const { judged, faults } = await told(ask, { examine })
    expect(judged).toEqual({ outcome: 'internal', isLie: false, isSettled: true })
    expect(faults).toEqual([new TypeError('a bug')])
  })

  test('work abandoned at shutdown is not a bug', async () => {
    const signal = AbortSignal.abort()
    const examine = () => Promise.reject(new Error('aborted'))
    await expect(told(ask, { examine, signal })).rejects.toThrow('aborted')
  })
})

test('copies of proved items are bounded, and cost no examination beyond that', async () => {
  const orders = new Allowances({ perSecond: 1 / 60, burst: 2 })
  const outcomes: [string, number][] = []
  for (const price of ['1', '2', '3']) {
    const sale = saleEvent(makeAsk().psbt, [['s', price]])
    const { judged, examined } = await told(event(sale), { orders })
    outcomes.push([judged.outcome, examined])
  }
  expect(outcomes).toEqual([
    ['imported', 1],
    ['imported', 1],
    ['over_budget', 0],
  ])
})

test('a false item uses none of the budget of the order that it names', async () => {
  const orders = new Allowances({ perSecond: 1 / 60, burst: 1 })
  const examine = nodeSays({ signature: { status: 'INVALID', reason: 'signature_invalid' } })
  for (let n = 0; n < 5; n += 1) await told(offer(makeAsk().psbt), { orders, examine })
  expect((await told(offer(makeAsk().psbt), { orders })).judged).toEqual(GOOD)
})

test('copies with a false claim use none of the budget of a true one, and are bounded by one of their own', async () => {
  const orders = new Allowances({ perSecond: 1 / 60, burst: 2 })
  const { psbt } = makeAsk()
  /** All is in order, and the output holds no inscription. */
  const examine: FeedImporter['examine'] = async (_outpoint, [claim]) => {
    if (!claim?.claimedPrevout) throw new Error('the ask names its prevout')
    const output = unspent({ output: claim.claimedPrevout })
    return {
      evidence: evidenceOf({ node: readyNode({ output, signatures: [signatureOf(claim)] }) }),
    }
  }
  const copy = async (...tags: string[][]) =>
    (await told(event(saleEvent(psbt, tags)), { orders, examine })).judged
  const ofFalse = (n: number) => copy(['i', `${String(n).repeat(64)}i0`])
  const OVER = { outcome: 'over_budget', isLie: false, isSettled: false }
  expect([await ofFalse(1), await ofFalse(2), await ofFalse(3)]).toEqual([GOOD, GOOD, OVER])
  expect([await copy(), await copy(['s', '1']), await copy(['s', '2'])]).toEqual([GOOD, GOOD, OVER])
})

test('what the log refuses uses none of the budget of its order', async () => {
  const orders = new Allowances({ perSecond: 1 / 60, burst: 1 })
  const log = new MemoryLog()
  log.append = () => Promise.reject(new Error('away'))
  for (let n = 0; n < 5; n += 1)
    await expect(told(offer(makeAsk().psbt), { orders, log })).rejects.toThrow()
  expect((await told(offer(makeAsk().psbt), { orders })).judged).toEqual(GOOD)
  expect((await told(offer(makeAsk().psbt), { orders })).judged.outcome).toBe('over_budget')
})

test('what the log refuses is thrown', async () => {
  const log = new MemoryLog()
  log.append = () => Promise.reject(new Error('full'))
  await expect(told(offer(makeBid().psbt), { log })).rejects.toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
  })
})
