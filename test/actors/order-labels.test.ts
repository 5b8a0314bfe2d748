import { describe, expect, test } from 'vitest'
import { judgeOrder } from '../../src/actors/events/judge-order.ts'
import { marketRules } from '../../src/domain/catalog/market-rules.ts'
import { toOutpointText } from '../support/ids.ts'
import {
  askClaim,
  assetClaim,
  evidenceOf,
  INSCRIPTION,
  indexAway,
  indexSays,
  inscriptionAt,
  nodeSays,
  signatureOf,
  spentBy,
} from '../support/orders/evidence.ts'
import type { Life } from '../support/orders/life.ts'
import {
  begun,
  good,
  imported,
  live,
  rechecked,
  spend,
  thief,
  withdrawn,
  wrapped,
} from '../support/orders/order-events.ts'
import { liveOrder } from '../support/orders/orders.ts'

// An order that became LIVE without a market, or without a token: a portable event, an offers feed
// or a PSBT made elsewhere has neither.

const holding = evidenceOf({ index: indexSays({ inscriptions: [inscriptionAt()] }) })
const labelled = (protocolId: string, token?: string, changes = {}) =>
  wrapped('copy', { protocolId, ...(token === undefined ? {} : { token }), ...changes })
const unlabelled = (evidence = holding) => {
  const life = begun()
  life.answer(evidence)
  return life
}
const labelsOf = ({ order: { protocolId, token } }: Life) => [protocolId, token]

describe('an import with a label that a LIVE order lacks', () => {
  test('gives it, once it verified under that market', () => {
    const life = unlabelled()
    expect(labelsOf(life)).toEqual([undefined, undefined])
    expect(life.tell(imported(labelled('inscriptions', 'PUNK'), 'label')).asks).toBe(true)
    expect(labelsOf(life)).toEqual([undefined, undefined])
    life.answer(holding)
    expect(life.order).toMatchObject({ state: 'LIVE', claims: [], metadataFixed: true })
    expect(labelsOf(life)).toEqual(['inscriptions', 'PUNK'])
    expect(life.outcomeOf('label')).toMatchObject({ status: 'done' })
    expect(life.order.validation.assetStatus).toBe('VERIFIED')
    expect(life.order.kept.artifact).toBe(good.artifact)
  })

  test('gives it once: it never changes, and the token may come after the market', () => {
    const life = unlabelled()
    life.tell(imported(labelled('inscriptions')))
    life.answer(holding)
    expect(labelsOf(life)).toEqual(['inscriptions', undefined])
    for (const other of [labelled('names', 'YOURS'), labelled('names'), labelled('inscriptions')]) {
      expect(life.tell(imported(other)).asks).toBe(false)
    }
    life.tell(imported(labelled('inscriptions', 'PUNK')))
    life.answer(holding)
    expect(labelsOf(life)).toEqual(['inscriptions', 'PUNK'])
    expect(life.tell(imported(labelled('inscriptions', 'SCAM'))).asks).toBe(false)
    expect(labelsOf(life)).toEqual(['inscriptions', 'PUNK'])
  })

  test('that waits with the first import gives it with the first verdict', () => {
    const life = begun()
    life.tell(imported(labelled('inscriptions', 'PUNK')))
    life.answer(holding)
    life.answer(holding)
    expect(labelsOf(life)).toEqual(['inscriptions', 'PUNK'])
    expect(life.order.kept.artifact).toBe(good.artifact)
  })

  test('does not change a token that the order has', () => {
    const life = begun(askClaim({ token: 'MINE' }))
    life.answer(holding)
    life.tell(imported(labelled('inscriptions', 'YOURS')))
    life.answer(holding)
    expect(labelsOf(life)).toEqual(['inscriptions', 'MINE'])
  })

  test('gives nothing when what is claimed with it is false', () => {
    const life = unlabelled()
    const claimedAsset = assetClaim(toOutpointText(`${INSCRIPTION.slice(0, 64)}:3`))
    life.tell(imported(labelled('inscriptions', 'PUNK', { source: { claimedAsset } })))
    life.answer(holding)
    expect(life.order).toMatchObject({ state: 'LIVE', claims: [] })
    expect(labelsOf(life)).toEqual([undefined, undefined])
  })

  test('gives nothing when the market’s own rule is not met', () => {
    const life = unlabelled(live)
    life.tell(imported(labelled('inscriptions', 'PUNK'), 'label'))
    life.answer(live)
    expect(life.order).toMatchObject({ state: 'LIVE', claims: [] })
    expect(labelsOf(life)).toEqual([undefined, undefined])
    expect(life.outcomeOf('label')).toMatchObject({ status: 'done' })
  })

  test('waits while the index is unavailable', () => {
    const life = unlabelled()
    life.tell(imported(labelled('inscriptions', 'PUNK')))
    life.answer(evidenceOf({ index: indexAway() }))
    expect(labelsOf(life)).toEqual([undefined, undefined])
    life.tell(rechecked)
    life.answer(holding)
    expect(labelsOf(life)).toEqual(['inscriptions', 'PUNK'])
  })

  test('that is overtaken by a spend gives nothing', () => {
    const life = unlabelled()
    life.tell(imported(labelled('inscriptions', 'PUNK')))
    life.tell(spend('SEEN', thief))
    const spent = evidenceOf({ node: nodeSays({ output: spentBy({ ...thief, block: null }) }) })
    life.answer(spent)
    life.answer(spent)
    expect(life.order).toMatchObject({ state: 'MEMPOOL_CONFLICTED', claims: [] })
    expect(labelsOf(life)).toEqual([undefined, undefined])
  })

  test.each([
    ['a token without a market', wrapped('copy', { token: 'PUNK' })],
    ['no label', wrapped('copy')],
  ])('is none: %s', (_, claim) => {
    expect(unlabelled().tell(imported(claim)).asks).toBe(false)
  })

  test('comes too late for one that is withdrawn', () => {
    const life = unlabelled()
    life.tell(withdrawn)
    expect(life.tell(imported(labelled('inscriptions', 'PUNK'))).asks).toBe(false)
  })
})

describe('a market that a stranger names', () => {
  const runes = [{ name: 'DOG', amount: '5' }]
  const one = [inscriptionAt()]
  const given = (protocolId: string, index: Parameters<typeof indexSays>[0] | null) => {
    const claim = labelled(protocolId, 'PUNK')
    const evidence = evidenceOf({
      node: nodeSays({ signatures: [signatureOf(good)] }),
      index: index ? indexSays(index) : indexAway('asset_index_unconfigured'),
    })
    const judgement = judgeOrder(liveOrder({ claims: [claim] }), evidence, {
      marketOf: marketRules,
      isContinuousSince: () => true,
      followed: () => null,
    })
    return judgement.kind === 'verdict' ? judgement.kept.protocolId : judgement.kind
  }

  test.each([
    ['inscriptions', { inscriptions: one }],
    ['brc20', { inscriptions: one }],
    ['ordinals', { inscriptions: one }],
    ['rare-sats', { inscriptions: [] }],
  ])('is taken where the output is what it sells: %s', (protocolId, index) => {
    expect(given(protocolId, index)).toBe(protocolId)
  })

  test.each([
    ['an inscription as rare sats', 'rare-sats', { inscriptions: one }],
    ['an inscription as runes', 'runes', { inscriptions: one }],
    ['what holds no runes as runes', 'runes', { runes: [] }],
    ['unexamined runes', 'runes', { runes: null }],
    ['undeclared runes', 'runes', { runes }],
    ['unexamined assets', 'rare-sats', null],
    ['what is settled elsewhere', 'doginals', { inscriptions: one }],
    ['text that names no market', 'no such market', { inscriptions: one }],
  ])('is refused, so that it takes no order from its buyers: %s', (_, protocolId, index) => {
    expect(given(protocolId, index)).toBeUndefined()
  })
})
