import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WithheldCause } from '../../src/pairing/agreement/withheld.ts'
import type { PeerAnswer } from '../../src/ports/folds/peer-agreement.ts'
import { PEER_TROUBLES } from '../../src/ports/folds/peer-agreement.ts'
import { type CheckpointTuple, COMPARED_FIELDS } from '../../src/schemas/api/pairing.ts'
import {
  answerOf,
  hash,
  OBJECT_KEY,
  openPipelines,
  type Pipelines,
  privateKeyOf,
  RELEASE,
  signerOf as signerWith,
  TIP,
  tupleAt,
  xOnlyOf,
} from '../support/pairing/pairing-pipeline.ts'

// Spec 7 rule 9: one body for every cause; the cause is logged and counted, and never sent.

const VERIFIED = `/pairing/verified/objects/${OBJECT_KEY}`
const DIRECT = `/pairing/objects/${OBJECT_KEY}`
const UNAVAILABLE = '{"status":"verification_unavailable","error":"verification_unavailable"}'

let world: Pipelines
beforeEach(async () => {
  world = await openPipelines()
})
afterEach(() => world.close())

async function withholds(cause: WithheldCause, of = world): Promise<void> {
  const { statusCode, body } = await of.get(VERIFIED)
  expect([statusCode, body]).toEqual([503, UNAVAILABLE])
  expect(of.metrics.filter(({ kind }) => kind === 'read').at(-1)).toEqual({
    kind: 'read',
    outcome: cause,
  })
}
const answers = async (): Promise<void> => expect((await world.get(VERIFIED)).statusCode).toBe(200)

/** The next fetches, one after another; the last one repeats. */
const replies = (...list: (PeerAnswer | (() => PeerAnswer))[]): void => {
  world.peer.reply = () => {
    const next = list.length > 1 ? list.shift() : list[0]
    if (next === undefined) throw new Error('no reply is left')
    return typeof next === 'function' ? next() : next
  }
}
/** Another value of the same form. */
const another = (field: keyof CheckpointTuple): string =>
  ({ deployment: 'other', network: 'signet', height: String(TIP - 1) })[field as string] ??
  hash(`a lie about ${field}`)

const CAUSE: Record<keyof CheckpointTuple, WithheldCause> = {
  deployment: 'wrong_deployment',
  network: 'network_differs',
  height: 'wrong_height',
  blockHash: 'blockHash_differs',
  previousCheckpointHash: 'previousCheckpointHash_differs',
  objectsRoot: 'objectsRoot_differs',
  carriersRoot: 'carriersRoot_differs',
  eventsRoot: 'eventsRoot_differs',
  checkpointHash: 'checkpointHash_differs',
}
/** What a tuple is about: two that differ in one of these do not contradict each other. */
const PLACE: readonly (keyof CheckpointTuple)[] = ['deployment', 'network', 'height']

describe('a verified answer is withheld [pairing 7 rule 9] [pairing 1 rule 3]', () => {
  test.each(COMPARED_FIELDS)('where B signed for another %s', async (field) => {
    replies(answerOf(world.signedByB(TIP, { [field]: another(field) })))
    await withholds(CAUSE[field])
    const diverged = { kind: 'diverged', field, isNew: true }
    if (PLACE.includes(field)) {
      // Both may be true: an intermediary has only to repeat what B signed for another block.
      expect(world.divergences.noted).toEqual([])
      expect(world.metrics).not.toContainEqual(diverged)
      return
    }
    expect(world.divergences.noted).toMatchObject([
      { field, height: TIP, own: { tuple: tupleAt(TIP) }, firstSeenAt: '2030-01-01T00:00:00.000Z' },
    ])
    expect(world.metrics).toContainEqual(diverged)
  })

  test.each(PEER_TROUBLES)('where B does not answer: %s', async (trouble) => {
    replies({ did: 'fail', trouble, detail: 'as the test says' })
    await withholds(trouble)
    expect(world.withheld).toEqual([{ cause: trouble, detail: 'as the test says' }])
    expect(world.divergences.noted).toEqual([])
  })

  test.each<[string, (envelope: ReturnType<Pipelines['signedByB']>) => unknown]>([
    ['is no JSON', () => 'not json'],
    ['is null', () => null],
    ['lacks a field', ({ release: _release, ...rest }) => rest],
    ['has a field more', (one) => ({ ...one, more: '' })],
    ['has a field more in its tuple', (one) => ({ ...one, tuple: { ...one.tuple, more: '' } })],
    ['has a height that is a number', (one) => ({ ...one, tuple: { ...one.tuple, height: TIP } })],
    [
      'has a version that is a number',
      (one) => ({ ...one, release: { ...one.release, version: 1 } }),
    ],
    [
      'has a root in uppercase',
      (one) => ({
        ...one,
        tuple: { ...one.tuple, objectsRoot: one.tuple.objectsRoot.toUpperCase() },
      }),
    ],
    ['has a signature in uppercase', (one) => ({ ...one, signature: one.signature.toUpperCase() })],
    [
      'has a height with a leading zero',
      (one) => ({ ...one, tuple: { ...one.tuple, height: `0${TIP}` } }),
    ],
    ['has a name twice', (one) => JSON.stringify(one).replace('{', '{"keyId":"b1",')],
    ['is nested deeply', () => `${'['.repeat(1_000)}${']'.repeat(1_000)}`],
    ['has a name of the prototype', (one) => JSON.stringify(one).replace('{', '{"__proto__":{},')],
    ['is larger than 65,536 bytes', (one) => JSON.stringify(one).padEnd(65_537)],
  ])('where what B sent %s', async (_what, change) => {
    replies(answerOf(change(world.signedByB(TIP))))
    await withholds('peer_envelope_malformed')
  })

  test('where what B sent is not UTF-8', async () => {
    const text = JSON.stringify(world.signedByB(TIP)).replace('b1', '\u00ff')
    replies({ did: 'answer', body: Buffer.from(text, 'latin1') })
    await withholds('peer_envelope_malformed')
  })

  test('not for whitespace up to 65,536 bytes [pairing 8 pipeline B response body]', async () => {
    replies(answerOf(JSON.stringify(world.signedByB(TIP)).padEnd(65_536)))
    await answers()
  })

  test('where B signs as A, or another signs as B', async () => {
    replies(answerOf(signerWith('A', 'a1').seal(tupleAt(TIP))))
    await withholds('peer_wrong_pipeline')
    replies(answerOf(signerWith('B', 'b3').seal(tupleAt(TIP))))
    await withholds('peer_unknown_key')
    replies(answerOf({ ...signerWith('B', 'b2').seal(tupleAt(TIP)), keyId: 'b1' }))
    await withholds('peer_invalid_signature')
  })

  test('where a single leaf was changed after it was signed', async () => {
    const signed = world.signedByB(TIP)
    for (const changed of [
      { ...signed, release: { ...signed.release, digest: 'd2' } },
      { ...signed, keyId: 'b2' },
      { ...signed, tuple: tupleAt(TIP - 1) },
      { ...signed, signature: `${signed.signature.slice(0, -2)}00` },
      { ...signed, signature: 'ff'.repeat(64) },
    ]) {
      replies(answerOf(changed))
      await withholds('peer_invalid_signature')
    }
    // Remembered signatures are those of all their bytes.
    replies(answerOf(signed))
    await answers()
  })

  test.each<[WithheldCause, Parameters<typeof openPipelines>[0]]>([
    [
      'own_unknown_key',
      { settings: { trusted: { A: new Map(), B: new Map([['b1', xOnlyOf('b1')]]) } } },
    ],
    [
      'peer_unknown_key',
      { settings: { trusted: { A: new Map([['a1', xOnlyOf('a1')]]), B: new Map() } } },
    ],
    ['peer_not_configured', { parts: { peer: null } }],
    ['mainnet_gate_closed', { settings: { network: 'mainnet' } }],
    ['wrong_deployment', { settings: { deployment: 'another' } }],
    ['not_ready', { parts: { node: null } }],
    ['not_ready', { settings: { signing: { release: RELEASE } } }],
    ['not_ready', { settings: { trusted: { A: new Map([['a1', xOnlyOf('a2')]]), B: new Map() } } }],
  ])('as %s, by what this pipeline is', async (cause, options) => {
    const other = await openPipelines(options)
    await withholds(cause, other)
    await other.close()
  })

  test('not on mainnet with its gate open', async () => {
    const other = await openPipelines({ settings: { network: 'mainnet', mainnetVerified: true } })
    expect((await other.get(VERIFIED)).statusCode).toBe(200)
    await other.close()
  })

  test('where the index returns something that must not be signed', async () => {
    world.views.records.checkpoints[0] = { ...tupleAt(TIP), objectsRoot: 'AA' }
    await withholds('own_envelope_malformed')
  })

  test('without the tip’s checkpoint', async () => {
    world.views.records.checkpoints.shift()
    await withholds('not_ready')
    world.views.records.checkpoints = []
    await withholds('not_ready')
  })

  test('where the agreement changed between the two checks around the read', async () => {
    const next = { height: TIP + 1, hash: hash(`block ${TIP + 1}`) }
    const grow = () => {
      world.views.records.tip = next
      world.views.records.checkpoints.unshift(tupleAt(TIP + 1))
    }
    const read = world.views.object.bind(world.views)
    world.views.object = (key) => {
      // After the read: it still saw the previous block.
      queueMicrotask(grow)
      return read(key)
    }
    await withholds('agreement_changed')
    world.views.object = read
    await answers()
  })

  test('where the read itself was of another checkpoint than both checks', async () => {
    const { records } = world.views
    const [latest] = records.checkpoints
    const read = world.views.object.bind(world.views)
    world.views.object = (key) => {
      records.checkpoints[0] = { ...tupleAt(TIP), checkpointHash: hash('a moment between') }
      queueMicrotask(() => {
        if (latest) records.checkpoints[0] = latest
      })
      return read(key)
    }
    await withholds('read_of_another_checkpoint')
  })

  test('where B is lost after the read', async () => {
    replies(answerOf(world.signedByB(TIP)), { did: 'fail', trouble: 'peer_timeout', detail: '' })
    await withholds('peer_timeout')
  })

  test('where a check ends in a defect, which is reported', async () => {
    world.peer.reply = () => {
      throw new Error('a defect')
    }
    await withholds('check_failed')
    expect(world.faults).toHaveLength(1)
    world.peer.reply = (height) => answerOf(world.signedByB(height))
    await answers()
  })
})

test('a key that was rotated between the checks is no change', async () => {
  const rotated = signerWith('B', 'b2').seal(tupleAt(TIP))
  replies(answerOf(world.signedByB(TIP)), answerOf(rotated))
  const { agreement } = (await world.get(VERIFIED)).json()
  expect(agreement.keyIds).toEqual({ A: 'a1', B: 'b2' })
})

test('pipeline B takes A for its peer', async () => {
  const signing = { keyId: 'b1', privateKey: privateKeyOf('b1'), release: RELEASE }
  const other = await openPipelines({ settings: { pipeline: 'B', signing } })
  other.peer.reply = () => answerOf(signerWith('A', 'a1').seal(tupleAt(TIP)))
  expect((await other.get(VERIFIED)).json().agreement.keyIds).toEqual({ A: 'a1', B: 'b1' })
  other.peer.reply = () => answerOf(signerWith('B', 'b1').seal(tupleAt(TIP)))
  await withholds('peer_wrong_pipeline', other)
  await other.close()
})

test('the 503 is a state: reads of the direct surface go on, and a plain retry succeeds [pairing 7 rule 10]', async () => {
  replies({ did: 'fail', trouble: 'peer_unreachable', detail: '' })
  await withholds('peer_unreachable')
  expect((await world.get(DIRECT)).statusCode).toBe(200)
  replies(answerOf(world.signedByB(TIP)))
  await answers()
})

test('the query runs also where the pre-check failed [pairing 7 rule 12]', async () => {
  replies({ did: 'fail', trouble: 'peer_unreachable', detail: '' })
  await withholds('peer_unreachable')
  expect(world.views.asked).toContain(`object ${OBJECT_KEY}`)
  expect(world.peer.fetches).toHaveLength(1)
})

test('nothing of the private key is in an answer or in the log', async () => {
  for (const url of [
    VERIFIED,
    DIRECT,
    '/ready',
    `/pairing/agreement/${TIP}`,
    '/pairing/agreement/x',
  ])
    await world.get(url)
  expect(world.logLines.join()).not.toContain(privateKeyOf('a1'))
  expect(JSON.stringify([world.service, world.metrics])).not.toContain(privateKeyOf('a1'))
})

describe('256 reads at once', () => {
  test('cost few fetches, at most 2 in flight, and none uses one that started before it', async () => {
    /** Of waiting reads: when they arrived, and the fetches started by then. */
    let finish: (() => void)[] = []
    world.peer.reply = (height) =>
      new Promise((resolve) => finish.push(() => resolve(answerOf(world.signedByB(height)))))
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const done: Promise<{ before: number; statusCode: number; after: number }>[] = []
    const ended: number[] = []
    const ask = () => {
      const before = world.peer.fetches.length
      done.push(
        world.get(VERIFIED).then(({ statusCode }) => {
          ended.push(world.peer.fetches.length)
          return { before, statusCode, after: world.peer.fetches.length }
        }),
      )
    }
    for (let burst = 0; burst < 16; burst += 1) {
      for (let one = 0; one < 16; one += 1) ask()
      await turn()
      await turn()
    }
    while (ended.length < 256) {
      const oldest = finish.shift()
      oldest?.()
      await turn()
      await turn()
    }
    finish = []
    const all = await Promise.all(done)
    expect(all.every(({ statusCode }) => statusCode === 200)).toBe(true)
    expect(world.peer.mostInFlight).toBe(2)
    expect(world.peer.fetches.length).toBeLessThan(20)
    // Two checks each, neither of which had started when the read arrived.
    for (const { before, after } of all) expect(after - before).toBeGreaterThanOrEqual(2)
  })
})
