import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Question } from '../../src/actors/events/question.ts'
import type { Evidence } from '../../src/schemas/evidence.ts'
import type { OfferClaim, OrderRecord } from '../../src/schemas/order-record.ts'
import { toOutpointText } from '../support/ids.ts'
import { watermark } from '../support/log/watermarks.ts'
import { answerTo, commandOf, importOf, WorkerHost } from '../support/log/worker-host.ts'
import {
  askClaim,
  assetClaim,
  BUYER,
  evidenceOf,
  hash,
  INSCRIPTION,
  indexAway,
  indexSays,
  inscriptionAt,
  nodeAway,
  nodeSays,
  PREVOUT,
  signatureOf,
} from '../support/orders/evidence.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 150)

// The world of these properties: one output that holds one inscription, and does not change.

const sellers = askClaim({
  protocolId: 'inscriptions',
  token: 'PUNK',
  source: { claimedAsset: assetClaim() },
})

/** What a wrapper may claim about the offered output: another utxo makes another PSBT. */
const TOLD = {
  truth: PREVOUT,
  nothing: null,
  'another value': { ...PREVOUT, valueSats: '1' },
  'another script': { ...PREVOUT, scriptHex: BUYER },
}
type Told = keyof typeof TOLD
const named = (wrapper: string, told: Told) =>
  wrapper === 'wrapper' && told === 'truth' ? wrapper : `${wrapper}, telling ${told}`

/** Wrappers with these names carry the seller's own signature; any other's is broken. */
const SIGNED: ReadonlySet<string> = new Set(
  ['wrapper', 'copied'].flatMap((wrapper) =>
    Object.keys(TOLD).map((told) => hash(named(wrapper, told as Told))),
  ),
)
const isSigned = ({ inspection }: OfferClaim) => SIGNED.has(inspection.digest)

const truthFor = ({ claims }: Question): Evidence =>
  evidenceOf({
    node: nodeSays({
      signatures: claims.map((claim) => signatureOf(claim, isSigned(claim) ? 'VALID' : 'INVALID')),
    }),
    index: indexSays({ inscriptions: [inscriptionAt()] }),
  })

/** What a stranger may send of the same authorisation. */
const wrappers = fc
  .record({
    wrapper: fc.constantFrom('wrapper', 'copied', 'broken', 'broken again'),
    told: fc.constantFrom<Told>('truth', 'nothing', 'another value', 'another script'),
    protocolId: fc.constantFrom(undefined, 'inscriptions', 'runes', 'no such market'),
    token: fc.constantFrom(undefined, 'PUNK', 'SCAM'),
    claimedAsset: fc.constantFrom(
      undefined,
      assetClaim(),
      assetClaim(toOutpointText(`${hash('elsewhere')}:0`)),
      assetClaim(undefined, `${hash('another')}i0`),
    ),
    source: fc.constantFrom('direct-import' as const, 'portable-nostr802' as const),
    sourceId: fc.constantFrom('a', 'b', 'c'),
    claimedPriceSats: fc.constantFrom(undefined, '1', '500000'),
  })
  .map(({ wrapper, told, protocolId, token, ...evidence }) => {
    const { claimedAsset, claimedPriceSats, ...source } = evidence
    return askClaim({
      wrapper: named(wrapper, told),
      claimedPrevout: TOLD[told],
      ...(protocolId === undefined ? {} : { protocolId }),
      ...(token === undefined ? {} : { token }),
      source: {
        ...source,
        ...(claimedAsset === undefined ? {} : { claimedAsset }),
        ...(claimedPriceSats === undefined ? {} : { claimedPriceSats }),
      },
    })
  })

type Act =
  | { act: 'import'; claim: OfferClaim }
  | { act: 'revalidate' | 'answer' | 'watermark' | 'crash' }
  | { act: 'away'; evidence: Evidence }

const away = fc.constantFrom(
  evidenceOf({ node: nodeAway() }),
  evidenceOf({ node: nodeAway('node_in_ibd') }),
  evidenceOf({ index: indexAway() }),
  evidenceOf({ index: indexAway('asset_index_malformed') }),
)
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: wrappers.map((claim): Act => ({ act: 'import', claim })),
    },
    {
      weight: 5,
      arbitrary: fc
        .constantFrom(
          'revalidate' as const,
          'answer' as const,
          'watermark' as const,
          'crash' as const,
        )
        .map((act): Act => ({ act })),
    },
    { weight: 2, arbitrary: away.map((evidence): Act => ({ act: 'away', evidence })) },
  ),
  { maxLength: 30 },
)

/**
 * Plays the acts, which also choose whether the authorities answer truthfully or are unavailable.
 */
class Play {
  readonly host = new WorkerHost()
  #requests = 0
  #marks = 0

  async act(one: Act): Promise<void> {
    const { host } = this
    switch (one.act) {
      case 'import':
        return host.tell([importOf(one.claim, `import ${this.#requests++}`)])
      case 'revalidate':
        return host.tell([commandOf('revalidate', `revalidate ${this.#requests++}`)])
      case 'watermark':
        return host.tell([watermark(this.#marks++)])
      case 'crash':
        host.die()
        await host.open()
        return
      case 'away':
        return this.#answer(({ claims }) => ({
          ...one.evidence,
          // A node that answers is truthful about the signatures.
          node:
            one.evidence.node.status === 'ready'
              ? truthFor({ claims } as Question).node
              : one.evidence.node,
        }))
      case 'answer':
        return this.#answer(truthFor)
    }
  }

  /** Every open question is answered truthfully in the end. */
  async settle(): Promise<void> {
    for (let round = 0; round < 12; round += 1) {
      await this.act({ act: 'watermark' })
      await this.host.answerAll(truthFor)
    }
  }

  async #answer(answer: (question: Question) => Evidence): Promise<void> {
    const questions = this.host.takeQuestions()
    await this.host.tell(questions.map((question) => answerTo(question, answer(question))))
  }
}

/** What only its seller and the authorities may change. */
const essence = ({
  state,
  protocolId,
  token,
  side,
  quotedPriceSats,
  kept,
  assets,
}: OrderRecord) => ({
  state,
  protocolId,
  token,
  side,
  quotedPriceSats,
  artifact: kept.artifact,
  claimedPrevout: kept.claimedPrevout,
  assets,
})

test('no sequence of imports by others moves a LIVE order or its market', async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (sequence) => {
      const play = new Play()
      await play.act({ act: 'watermark' })
      await play.act({ act: 'import', claim: sellers })
      await play.act({ act: 'answer' })
      const before = essence(play.host.order())
      expect(before.state).toBe('LIVE')
      for (const act of sequence) {
        await play.act(act)
        expect(essence(play.host.order())).toEqual(before)
      }
      await play.settle()
      expect(essence(play.host.order())).toEqual(before)
      expect(play.host.faults).toEqual([])
    }),
    { numRuns: RUNS },
  )
})

test('nothing at all moves the market of a LIVE order that was published, not even publishes', async () => {
  const published = fc.record({ claim: wrappers, isPublished: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(acts, fc.array(published, { maxLength: 6 }), async (sequence, claims) => {
      const play = new Play()
      await play.act({ act: 'import', claim: { ...sellers, published: true } })
      await play.act({ act: 'answer' })
      const before = essence(play.host.order())
      expect(before).toMatchObject({ state: 'LIVE', protocolId: 'inscriptions', token: 'PUNK' })
      const imports = claims.map(({ claim, isPublished }): Act => {
        return { act: 'import', claim: isPublished ? { ...claim, published: true } : claim }
      })
      for (const act of [...imports, ...sequence, ...imports]) await play.act(act)
      await play.settle()
      expect(essence(play.host.order())).toEqual(before)
      expect(play.host.faults).toEqual([])
    }),
    { numRuns: RUNS },
  )
})

test('whatever strangers imported, before or after, the publish determines the market', async () => {
  await fc.assert(
    fc.asyncProperty(acts, fc.nat(10), async (sequence, at) => {
      const play = new Play()
      const position = Math.min(at, sequence.length)
      for (const act of sequence.slice(0, position)) await play.act(act)
      await play.settle()
      const claim = { ...sellers, published: true as const, token: 'TRUE' }
      await play.act({ act: 'import', claim })
      for (const act of sequence.slice(position)) await play.act(act)
      await play.settle()
      expect(play.host.order()).toMatchObject({
        state: 'LIVE',
        protocolId: 'inscriptions',
        token: 'TRUE',
        kept: { published: true },
      })
    }),
    { numRuns: RUNS },
  )
})

test('whatever strangers sent before, the seller’s wrapper makes the order LIVE, once', async () => {
  await fc.assert(
    fc.asyncProperty(acts, fc.nat(10), async (sequence, at) => {
      const play = new Play()
      const position = Math.min(at, sequence.length)
      for (const act of sequence.slice(0, position)) await play.act(act)
      await play.settle()
      await play.act({ act: 'import', claim: sellers })
      for (const act of sequence.slice(position)) await play.act(act)
      await play.settle()
      const order = play.host.order()
      expect(order.state).toBe('LIVE')
      expect(isSigned(order.kept)).toBe(true)
      expect(order.assets.map(({ inscriptionId }) => inscriptionId)).toEqual([INSCRIPTION])
      const transitions = play.host.changes.filter(({ kind }) => kind === 'transition')
      const lives = transitions.filter(({ toState }) => toState === 'LIVE')
      expect(lives).toHaveLength(1)
    }),
    { numRuns: RUNS },
  )
})

test('every request is answered once, however many there are', async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (sequence) => {
      const play = new Play()
      await play.act({ act: 'import', claim: sellers })
      for (const act of sequence) await play.act(act)
      await play.settle()
      const requests = play.host.inbox.flatMap(({ value }) => {
        const { requestId } = value as { requestId?: string }
        return requestId === undefined ? [] : [requestId]
      })
      const answered = play.host.outcomes.map(({ requestId }) => requestId)
      expect(answered.sort()).toEqual(requests.sort())
    }),
    { numRuns: RUNS },
  )
})

test('answers that a crash repeats, at any later moment, change nothing', async () => {
  await fc.assert(
    fc.asyncProperty(acts, fc.array(fc.nat(200), { maxLength: 12 }), async (sequence, places) => {
      const play = new Play()
      await play.act({ act: 'import', claim: sellers })
      for (const act of sequence) await play.act(act)
      await play.settle()
      const records = play.host.inbox.map(({ value }) => value as { kind: string })
      const repeated = [...records]
      for (const place of places) {
        const first = records.findIndex(
          ({ kind }, at) => at >= place % records.length && kind === 'evidence',
        )
        const answer = records[first]
        if (!answer) continue
        repeated.splice(repeated.indexOf(answer) + 1 + (place % 5), 0, answer)
      }
      const again = new WorkerHost()
      await again.tell(repeated)
      const story = (host: WorkerHost) =>
        host.changes.map(({ seq, kind, toState, reason, set: { hash: _hash, ...set } }) => ({
          seq,
          kind,
          toState,
          reason,
          set,
        }))
      expect(story(again)).toEqual(story(play.host))
    }),
    { numRuns: RUNS },
  )
})
