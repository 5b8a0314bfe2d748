import { useState } from 'preact/hooks'
import { act } from 'preact/test-utils'
import type { OrderSummary } from 'psbt-market-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LiveState } from '../../src/api/live.ts'
import { market } from '../../src/api/market.ts'
// The page loads it by itself, which must not outlive the test.
import '../../src/order/buy-steps.tsx'
import { OrderView } from '../../src/order/order-view.tsx'
import { summaryOf } from '../../src/order/price-card.tsx'
import { offeredOutput } from '../../src/ui/values/offered-output.ts'
import { HOSTILE, MARKUP } from '../hostile.ts'
import { BID_AT_LOSS, INSPECTION, sourceOf, wholeOrder as whole } from '../orders.ts'
import { shown } from '../shown.tsx'

// The service has not answered yet.
beforeEach(() => void vi.stubGlobal('fetch', () => new Promise(() => {})))
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  localStorage.clear()
})

const view = (changes: object = {}) => shown(<OrderView order={whole(changes)} connection="live" />)
const detailsOf = (page: HTMLElement, summary: string) =>
  [...page.querySelectorAll('details')].find((one) =>
    one.querySelector('summary')?.textContent?.startsWith(summary),
  )

const ON_A_PHONE = () => ({ matches: false }) as MediaQueryList
const sectionsOf = (page: HTMLElement) =>
  [...page.querySelectorAll<HTMLDetailsElement>('.order-main > .fold > details')].map((one) => [
    one.querySelector('h2')?.textContent,
    one.open,
  ])

test('the price, the verdict and the one next step follow the title, before all that explains them', async () => {
  const page = await view()
  const parts = [...(page.querySelector('.order')?.children ?? [])].map((one) => one.className)
  expect(parts).toEqual(['order-head', 'order-side', 'order-main'])
  const side = page.querySelector('.order-side')
  expect(side?.querySelector('.figure')?.textContent).toContain('40\u202f000 sats')
  const cards = [...(side?.children ?? [])].map((one) => one.textContent ?? '')
  expect(cards[1]).toMatch(/^✓Proved: the offered output is unspent/)
  expect(cards[2]).toMatch(/^Buy it with your wallet/)
  expect(side?.textContent).toContain('Buy it with your wallet')
  expect(detailsOf(page, 'Or sign elsewhere')?.open).toBe(false)
})

test('with room for two columns, what explains the price is open', async () => {
  vi.stubGlobal('matchMedia', () => ({ matches: true }))
  await view()
  expect(sectionsOf(await view())).toEqual([
    ['What is sold', true],
    ['What a buyer must know', true],
    ['What is signed', true],
    ['Claims and facts', false],
    ['Every change', false],
  ])
})

test('on a phone it is in sections that open; what was not seen before, or is unusual, is open', async () => {
  vi.stubGlobal('matchMedia', ON_A_PHONE)
  const first = sectionsOf(await view())
  expect(first).toEqual([
    ['What is sold', false],
    ['What a buyer must know', true],
    ['What is signed', false],
    ['Claims and facts', false],
    ['Every change', false],
  ])
  expect(sectionsOf(await view())[1]).toEqual(['What a buyer must know', false])
  const unusual = await view({ inspection: { ...INSPECTION, safety: 'UNSUPPORTED' } })
  expect(sectionsOf(unusual)[1]).toEqual(['What a buyer must know', true])
})

test('what is sold is in small beside the words that open it, unless it is hidden or only claimed', async () => {
  const inscriptionId = `${'c'.repeat(64)}i0`
  const assets = [{ inscriptionId, outpoint: { txid: 'e', vout: 1 } }]
  const known = [
    [['catalog'], [{ id: 'inscriptions', capabilities: { mediaResolution: true } }]],
    [['content', inscriptionId], { kind: 'text', text: 'cat.sats' }],
  ] as const
  const small = async (changes: object) => {
    const order = whole({ assets, ...changes })
    const page = await shown(<OrderView order={order} connection="live" />, known)
    return page.querySelector('.order-main summary .preview')?.textContent
  }
  expect(await small({})).toBe('cat.sats')
  const validation = { ...whole().validation, reasons: ['hidden_by_operator'] }
  expect(await small({ validation })).toBeUndefined()
  expect(await small({ state: 'PENDING_ASSET' })).toBeUndefined()
})

test('what was typed to sign elsewhere stays while the order is not ready for a moment', async () => {
  const typed = (
    <OrderView order={whole({ actionability: 'REVIEW_ONLY' } as never)} connection="live" />
  )
  const page = await shown(typed, [], <OrderView order={whole()} connection="live" />)
  expect(detailsOf(page, 'Or sign elsewhere')?.querySelector('textarea')).not.toBeNull()
})

test.each([
  ['with an asset', { assets: [{ inscriptionId: 'x', outpoint: { txid: 'e', vout: 1 } }] }, 'e:1'],
  ['of one input', {}, `${'d'.repeat(64)}:0`],
  [
    'behind a padding',
    {
      inspection: {
        ...INSPECTION,
        inputOutpoints: [
          { txid: 'a', vout: 0 },
          { txid: 'b', vout: 0 },
        ],
        inputWitnessUtxos: [{ scriptHex: '51', valueSats: '600' }, INSPECTION.inputWitnessUtxos[0]],
      },
    },
    'b:0',
  ],
  [
    'of two inputs of its owner',
    {
      inspection: {
        ...INSPECTION,
        inputOutpoints: [
          { txid: 'a', vout: 0 },
          { txid: 'b', vout: 0 },
        ],
        inputWitnessUtxos: [INSPECTION.inputWitnessUtxos[0], INSPECTION.inputWitnessUtxos[0]],
      },
    },
    null,
  ],
])('the offered output of an order %s', (_, changes, expected) => {
  const output = offeredOutput(whole(changes as never))
  expect(output && `${output.txid}:${output.vout}`).toBe(expected)
})

test.each(['ORDI', ...HOSTILE])(
  'a token that its sender named %j is said, as text',
  async (token) => {
    const page = await view({ token })
    const head = page.querySelector('.order-head')
    expect(head?.querySelector('bdi')?.textContent).toBe(token)
    expect(head?.textContent).toContain(`, named ${token} by its sender, order`)
    expect(head?.querySelector(MARKUP)).toBeNull()
  },
)

test('the verdict is one line that opens, and says what was not examined', async () => {
  const page = await view()
  const verdict = detailsOf(page, '✓Proved: the offered output is unspent')
  expect(verdict?.querySelector('summary')?.textContent).toContain('Not examined: runes.')
  expect(verdict?.open).toBe(false)
  const refused = await view({ state: 'REJECTED', actionability: 'NONE' })
  expect(detailsOf(refused, '✗Refused')?.open).toBe(true)
})

test('the verdict on a bid, its reasons too, speaks of the output that it wants', async () => {
  const { validation } = whole()
  const reasons = ['mempool_conflict']
  const page = await view({
    ...{ side: 'BID', state: 'MEMPOOL_CONFLICTED', validation: { ...validation, reasons } },
  })
  const verdict = page.querySelector('[aria-label="Verdict"]')
  expect(verdict?.querySelector('summary')?.textContent).toContain('spends the wanted output.')
  expect(verdict?.querySelector('.notices')?.textContent).toContain('spends the wanted output (')
  expect(verdict?.textContent).not.toContain('offered')
})

const versionOf = (index: object, changes: object = {}) => ({
  seq: 1,
  kind: 'transition',
  fromState: null,
  state: 'LIVE',
  observedAt: '2026-01-20T00:00:00.000Z',
  actor: 'actors',
  reason: 'verified',
  evidence: {
    node: { status: 'unavailable', reason: 'node_unreachable' },
    index: { status: 'ready', at: { height: 9, hash: 'e'.repeat(64), version: 'ord' }, ...index },
    mempoolSequence: null,
    answeredAt: '2026-01-20T00:00:00.000Z',
  },
  ...changes,
})

test('the runes in the output are named, by the last answer of the index', async () => {
  const held = async (...versions: object[]) => {
    const page = await shown(<OrderView order={whole()} connection="live" />, [
      [['versions', 'a'.repeat(64)], { versions, isWithheld: false, isCut: false }],
    ])
    const terms = [...page.querySelectorAll('.order-main dt')]
    return terms.find((one) => one.textContent === 'Runes')?.nextElementSibling?.textContent
  }
  const rune = { name: 'UNCOMMON•GOODS', amount: '21000' }
  const known = (runes: unknown) => versionOf({ indexed: true, inscriptions: [], runes })
  expect(await held(known([rune]), known([]))).toBe(
    '21\u202f000 UNCOMMON•GOODSIn the smallest unit of each, by the index at block 9.',
  )
  expect(await held(versionOf({}, { evidence: null }), known([rune]))).toContain('UNCOMMON•GOODS')
  expect(await held(known(null), known([rune]))).toBeUndefined()
  expect(await held(versionOf({ indexed: false, inscriptions: [], runes: [rune] }))).toBeUndefined()
  const many = Array.from({ length: 10 }, (_, n) => ({ name: `RUNE${n}`, amount: '1' }))
  expect(await held(known(many))).toContain('RUNE7and 2 more')
})

const SOLD = whole({
  state: 'SETTLED',
  actionability: 'NONE',
  validation: {
    checkedAt: '2026-01-20T00:00:00.000Z',
    reasons: ['settled'],
    nodeStatus: 'OUTPOINT_SPENT',
    assetStatus: 'VERIFIED',
    nodeTip: { height: 129, hash: 'e'.repeat(64) },
  },
})
/** What the verdict of a sold order says, by name, where its history has these versions. */
async function saidOfSold(versions: object[], isCut: boolean) {
  const known = [['versions', SOLD.id], { versions, isWithheld: false, isCut }] as const
  const page = await shown(<OrderView order={SOLD} connection="live" />, [known])
  const facts = detailsOf(page, '✓Sold')?.querySelector('dl')
  const said = [...(facts?.children ?? [])].map((one) => one.textContent)
  const names = said.filter((_, at) => at % 2 === 0)
  return { page, said: new Map(names.map((name, at) => [name, said[2 * at + 1]])) }
}

test('the verdict on what was sold says in which block, apart from the last block before', async () => {
  const sale = { seq: 2, state: 'SETTLED', reason: 'settled', spendTxid: 'f'.repeat(64) }
  const versions = [{ ...sale, spendHeight: 133, evidence: null, observedAt: SOLD.createdAt }]
  const { page, said } = await saidOfSold(versions, false)
  expect(said.get('Spent')).toBe('in block 133')
  expect(said.get('Block before')).toContain('129')
  expect(page.textContent).not.toContain('Withdraw it as its seller')
})

test('without its newest changes, no evidence of older ones is said to be that of now', async () => {
  const old = versionOf({}, { spendTxid: 'f'.repeat(64), spendHeight: null })
  expect([...(await saidOfSold([old], false)).said.keys()]).toEqual([
    ...['Checked', 'Spent', 'Block before', 'Index', 'Node', 'Asset'],
  ])
  expect([...(await saidOfSold([old], true)).said.keys()]).toEqual([
    ...['Checked', 'Block before', 'Node', 'Asset'],
  ])
})

test('claims and changes are folded, and a claim that differs is said beside the fold', async () => {
  const page = await view({ sources: [sourceOf({ claimedPriceSats: '39000' }), sourceOf({})] })
  expect(detailsOf(page, 'Claims and facts')?.open).toBe(false)
  expect(detailsOf(page, 'Claims and facts')?.querySelector('summary')?.textContent).toBe(
    'Claims and facts 2 sources, 1 differs',
  )
  expect(detailsOf(page, 'Every change')?.open).toBe(false)
})

test('what is true of every ask is open at the first order, and folded from then on', async () => {
  expect(detailsOf(await view(), 'True of every ask')?.open).toBe(true)
  expect(detailsOf(await view(), 'True of every ask')?.open).toBe(false)
  const unusual = { ...INSPECTION, safety: 'UNSUPPORTED' }
  const page = await view({ inspection: unusual })
  expect(
    detailsOf(page, 'What a buyer must know')?.querySelector(':scope > ul')?.textContent,
  ).toContain('do not complete it')
})

test('a browser that stores nothing shows it each time', async () => {
  const real = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    get: () => {
      throw new DOMException('denied', 'SecurityError')
    },
  })
  try {
    for (let visit = 0; visit < 2; visit += 1)
      expect(detailsOf(await view(), 'True of every ask')?.open).toBe(true)
  } finally {
    if (real) Object.defineProperty(globalThis, 'localStorage', real)
  }
})

test('a sentence says what is paid and received, to the reader of an ask and of a bid', () => {
  const plain = (text: string | null) => text?.replaceAll('\u202f', ' ')
  expect(plain(summaryOf(whole()))).toBe(
    'You pay 40 000 sats and the network fee, and receive its output with its 10 000 sats.',
  )
  expect(plain(summaryOf(whole({ side: 'BID' })))).toBe(
    'You hand over its output with its 10 000 sats, and receive 50 000 sats: 40 000 more than you had.',
  )
  expect(summaryOf(whole({ state: 'SETTLED' }))).toBeNull()
})

test('an owner is led to accept a bid, and the reader of what is over to the book', async () => {
  const bid = await view({ side: 'BID', actionability: 'REVIEW_ONLY' })
  expect(bid.querySelector('.order-side')?.textContent).toContain('Accept it as the owner')
  const sold = await view({ state: 'SETTLED', actionability: 'NONE' })
  expect(sold.querySelector('.order-side')?.textContent).toContain('It is not for sale.')
  expect(sold.querySelector('.order-side a')?.getAttribute('href')).toBe('/')
})

const spaced = (text: string | null | undefined) => text?.replaceAll('\u202f', ' ')

test('a bid that pays its owner less than the postage says the loss, and warns before its steps', async () => {
  const side = (await view(BID_AT_LOSS)).querySelector('.order-side')
  const [price, accept] = ['price', 'accept'].map(
    (id) => side?.querySelector(`#${id}`)?.parentElement,
  )
  expect(spaced(price?.textContent)).toContain('Its owner is paid 5 000 sats.')
  expect(spaced(price?.textContent)).toContain(
    'You hand over its output with its 10 000 sats, and receive 5 000 sats: 5 000 less than you had.' +
      ' You would lose them, and the asset.',
  )
  const facts = [...(price?.querySelectorAll('dd') ?? [])].map((one) => spaced(one.textContent))
  expect(facts[0]).toBe('10 000 sats')
  expect(facts[1]).toMatch(/^-5 000 sats/)
  expect([...(accept?.children ?? [])].map(({ tagName }) => tagName).slice(0, 3)).toEqual([
    ...['H2', 'P', 'OL'],
  ])
  const alert = accept?.querySelector('[role="alert"]')
  expect(spaced(alert?.textContent)).toBe(
    'You receive 5 000 sats for an output that holds 10 000: -5 000 sats net.' +
      ' You would lose them, and the asset.',
  )
  const fair = await view({ side: 'BID', actionability: 'REVIEW_ONLY' })
  expect(fair.querySelector('[role="alert"]')).toBeNull()
})

/** The page of an order that was for sale when it was opened, and what it is told from then on. */
async function opened() {
  let tell: (now: { order: OrderSummary; connection: LiveState }) => void = () => {}
  function Opened() {
    const [now, set] = useState({ order: whole(), connection: 'live' as LiveState })
    tell = set
    return <OrderView {...now} />
  }
  const page = await shown(<Opened />)
  const become = (changes: object, connection: LiveState = 'live') =>
    act(() => tell({ order: whole(changes), connection }))
  return { page, become, side: () => page.querySelector<HTMLElement>('.order-side') }
}

const ENDS = ['SETTLED', 'SPENT', 'WITHDRAWN', 'REJECTED']
const BUY = 'Buy it with your wallet'

test.each(ENDS)('an order that is %s while its page is open is offered no more', async (state) => {
  const { page, become, side } = await opened()
  expect(side()?.textContent).toContain(BUY)
  await become({ state, actionability: 'BLOCKED' })
  expect(page.textContent).not.toContain(BUY)
  expect(detailsOf(page, 'Or sign elsewhere')).toBeUndefined()
  expect(side()?.textContent).toContain('It is not for sale.')
})

test('while the connection is lost nothing is offered, and what was typed is there afterwards', async () => {
  const { page, become, side } = await opened()
  const typed = page.querySelector<HTMLTextAreaElement>('textarea[name="signedPsbt"]')
  if (typed) typed.value = 'cHNidP8'
  await become({}, 'lost')
  expect(side()?.textContent).toContain('Whether it can be had is not known')
  expect(page.querySelector('#buy')?.closest('[hidden]')).not.toBeNull()
  expect(typed?.closest('[hidden]')).not.toBeNull()
  await become({})
  expect(typed?.isConnected && typed.closest('[hidden]')).toBeNull()
  expect(typed?.value).toBe('cHNidP8')
  expect(side()?.textContent).not.toContain('is not known')
})

test('a bid is not offered to its owner while the connection is lost', async () => {
  const { page, become } = await opened()
  const bid = { side: 'BID', actionability: 'REVIEW_ONLY' }
  await become(bid)
  expect(page.querySelector('#accept')?.closest('[hidden]')).toBeNull()
  await become(bid, 'lost')
  expect(page.querySelector('#accept')?.closest('[hidden]')).not.toBeNull()
})

test.each(ENDS)(
  'what was bought in the page stays to be read when the order is %s',
  async (state) => {
    const result = { allowed: true, finalTxHex: '0200', orderId: 'a'.repeat(64), notices: [] }
    vi.spyOn(market, 'post').mockResolvedValue(result as never)
    const { page, become, side } = await opened()
    const signed = page.querySelector<HTMLTextAreaElement>('textarea[name="signedPsbt"]')
    if (signed) signed.value = 'cHNidP8='
    await act(() => signed?.form?.requestSubmit())
    await expect.poll(() => page.textContent).toContain('Now broadcast it.')
    await become({ state, actionability: 'BLOCKED' })
    const kept = detailsOf(page, 'What you bought here')
    expect(kept?.textContent).toContain('Now broadcast it.')
    expect(kept?.querySelector('#quote')?.closest('[hidden]')).not.toBeNull()
    expect(side()?.textContent).not.toContain(BUY)
  },
)
