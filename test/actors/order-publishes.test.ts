import { describe, expect, test } from 'vitest'
import { questionOf } from '../../src/actors/events/question.ts'
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
} from '../support/orders/evidence.ts'
import type { Life } from '../support/orders/life.ts'
import {
  begun,
  good,
  imported,
  live,
  rechecked,
  signedBy,
  withdrawn,
  wrapped,
} from '../support/orders/order-events.ts'

const MINE = { protocolId: 'recursive', token: 'MINE' }
const YOURS = { protocolId: 'inscriptions', token: 'YOURS' }
const publish = (wrapper: string, changes = MINE) =>
  wrapped(wrapper, { ...changes, published: true })
const holding = (...claims: ReturnType<typeof publish>[]) =>
  evidenceOf({
    node: signedBy(...claims),
    index: indexSays({ inscriptions: [inscriptionAt()] }),
  })

/** LIVE by an import with other metadata. */
function importedFirst(): Life {
  const life = begun(askClaim(YOURS))
  life.answer(holding(good))
  expect(life.order).toMatchObject({ state: 'LIVE', ...YOURS })
  return life
}

describe('a publish', () => {
  test('makes an order as an import does, with the build’s metadata', () => {
    const claim = publish('seller half')
    const life = begun(claim)
    life.answer(evidenceOf({ node: signedBy(claim) }))
    expect(life.order).toMatchObject({ state: 'LIVE', ...MINE, kept: { published: true } })
  })

  test('outranks the metadata of the import that was LIVE before it', () => {
    const life = importedFirst()
    const claim = publish('seller half')
    expect(life.tell(imported(claim, 'publish')).asks).toBe(true)
    expect(questionOf(life.order).claims).toEqual([life.order.kept, claim])
    life.answer(holding(good, claim))
    expect(life.order).toMatchObject({ state: 'LIVE', ...MINE, claims: [], pending: null })
    expect(life.order.kept.artifact).toBe(claim.artifact)
    expect(life.outcomeOf('publish')).toMatchObject({ status: 'done' })
    expect(life.states).toEqual(['PENDING_NODE', 'LIVE'])
  })

  test('of the very wrapper that was imported outranks it too', () => {
    const life = importedFirst()
    life.tell(imported({ ...good, ...MINE, published: true }))
    life.answer(holding(good))
    expect(life.order).toMatchObject({ state: 'LIVE', ...MINE, kept: { published: true } })
  })

  test('outranks imports that wait with it, whichever came first', () => {
    const claim = publish('seller half')
    const life = begun(askClaim(YOURS))
    life.tell(imported(claim))
    const both = holding(good, claim)
    life.answer(both)
    life.answer(both)
    expect(life.order).toMatchObject({ state: 'LIVE', ...MINE })
  })

  test('is never outranked: neither by an import nor by another publish', () => {
    const first = publish('first')
    const life = begun(first)
    life.answer(evidenceOf({ node: signedBy(first) }))
    expect(life.tell(imported(publish('second', YOURS), 'second')).asks).toBe(false)
    expect(life.tell(imported(wrapped('import', YOURS), 'import')).asks).toBe(false)
    expect(life.order).toMatchObject({ state: 'LIVE', ...MINE })
    expect(life.outcomeOf('second')).toMatchObject({ status: 'done' })
  })

  test('that the authorities contradict does not change a LIVE order', () => {
    const life = importedFirst()
    const { kept } = life.order
    const elsewhere = assetClaim(toOutpointText(`${INSCRIPTION.slice(0, 64)}:3`))
    const lying = wrapped('lying', {
      ...MINE,
      published: true,
      source: { claimedAsset: elsewhere },
    })
    life.tell(imported(lying))
    life.answer(holding(good, lying))
    expect(life.order).toMatchObject({ state: 'LIVE', ...YOURS, claims: [] })
    expect(life.order.kept.artifact).toBe(kept.artifact)
  })

  test('while the index is unavailable waits, and outranks when it is back', () => {
    const life = importedFirst()
    const claim = publish('seller half')
    life.tell(imported(claim, 'publish'))
    life.answer(evidenceOf({ node: signedBy(good, claim), index: indexAway() }))
    expect(life.order).toMatchObject({ state: 'LIVE', ...YOURS })
    life.tell(rechecked)
    life.answer(holding(good, claim))
    expect(life.order).toMatchObject({ state: 'LIVE', ...MINE })
  })

  test('of a withdrawn order changes nothing', () => {
    const life = begun()
    life.answer(live)
    life.tell(withdrawn)
    const step = life.tell(imported(publish('again'), 'publish'))
    expect(step.asks).toBe(false)
    expect(life.order.state).toBe('WITHDRAWN')
    expect(life.order).not.toHaveProperty('protocolId')
  })

  test('improves an order that a broken signature got REJECTED', () => {
    const broken = wrapped('broken', YOURS)
    const claim = publish('seller half')
    const refused = signatureOf(broken, 'INVALID')
    const answer = (...signatures: ReturnType<typeof signatureOf>[]) =>
      evidenceOf({
        node: nodeSays({ signatures }),
        index: indexSays({ inscriptions: [inscriptionAt()] }),
      })
    const life = begun(broken)
    life.answer(answer(refused))
    expect(life.order.state).toBe('REJECTED')
    life.tell(imported(claim))
    life.answer(answer(refused, signatureOf(claim)))
    expect(life.order).toMatchObject({ state: 'LIVE', ...MINE })
  })
})
