import { base64 } from '@scure/base'
import { type QueryClient, useQueryClient } from '@tanstack/preact-query'
import { render } from 'preact'
import { act } from 'preact/test-utils'
import type { ProtocolTemplate } from 'psbt-market-client'
import { afterEach, expect, test, vi } from 'vitest'
import { MARKETS } from '../../../src/domain/catalog/catalog-data.ts'
import { market } from '../../src/api/market.ts'
import { Buying } from '../../src/order/buy-steps.tsx'
import { Selling } from '../../src/sell/sell-steps.tsx'
import { Withdrawing } from '../../src/sell/withdraw-steps.tsx'
import { groupedSats } from '../../src/ui/values/amounts.ts'
import { setConnection } from '../../src/wallet/connected.ts'
import { connectWallet } from '../../src/wallet/connection.ts'
import { badRequest } from '../bad-request.ts'
import { orderOf } from '../orders.ts'
import { shown } from '../shown.tsx'
import { type Fake, fakeWallet } from './fake-wallets.ts'
import { keyOf, psbtOf } from './keys.ts'

afterEach(async () => {
  vi.restoreAllMocks()
  await act(() => setConnection(null))
})

const ofInscriptions = MARKETS.filter(
  ({ assetRequirement }) => assetRequirement === 'INSCRIPTION',
) as ProtocolTemplate[]
const PATIENT = { timeout: 20_000 }
const owner = keyOf(2, 'p2wpkh')
const connect = async () => {
  const fake = fakeWallet('unisat', [owner])
  setConnection(await connectWallet(fake.port, 'regtest'))
  return fake
}
const buttonIn = (page: HTMLElement, text: string) =>
  [...page.querySelectorAll('button')].find(({ textContent }) => textContent === text)

const [PADDING, OTHER_PADDING, OFFERED] = ['aa', 'bb', 'cc'].map((byte) => byte.repeat(32))
const inputs = [PADDING, OTHER_PADDING, OFFERED].map((txid) => ({ txid, vout: 0 }))

test('a withdrawal ends the offered output, which may be behind paddings, and says first what that costs', async () => {
  const fake = await connect()
  const outpoint = `${OFFERED}:0`
  const message = `service: market\norder: 1\noutpoint: ${outpoint}\naddress: ${owner.address}`
  vi.spyOn(market, 'get').mockResolvedValue({ address: owner.address, message } as never)
  const order = { state: 'WITHDRAWN', inspection: { inputOutpoints: inputs } }
  vi.spyOn(market, 'post').mockResolvedValue(order as never)
  const spend = {
    outpoint,
    destinationAddress: owner.address,
    outputValuesSats: ['9846'],
    networkFeeSats: '154',
    feeRateSatsPerVb: '1.4',
    notices: [
      { code: 'FEE_FROM_OUTPUT', message: '154 sats less arrive.' },
      { code: 'REPLACES_A_SPEND', message: 'The mempool spends the output already.' },
    ],
  }
  const page = await shown(<Withdrawing orderId="1" />, [
    [['health'], { network: 'regtest' }],
    [['self-spend', outpoint], spend],
  ])
  await act(() => buttonIn(page, 'Withdraw it')?.click())
  await vi.waitFor(() => expect(page.textContent).toContain('154 sats less arrive.'), PATIENT)
  expect(page.textContent).toContain('The mempool spends the output already.')
  expect(page.textContent).toContain('Network fee154 sats')
  expect(buttonIn(page, 'Sign the transaction that ends it')).toBeDefined()
  expect(fake.calls.map(([name]) => name)).not.toContain('signPsbt')
})

/** Outputs of a wallet that may pay. */
const safe = (...values: string[]) => ({
  outputs: values.map((valueSats, vout) => ({
    outpoint: { txid: PADDING, vout },
    output: { valueSats },
    safe: true,
    troubles: [],
  })),
  total: values.length,
})
const quote = {
  ...{ assetReceiveAddress: owner.address, checkpoint: { height: 1 }, notices: [] },
  ...{ observedAt: '2026-01-20T00:00:00.000Z', expiresAt: '2026-01-20T00:10:00.000Z' },
}
const change = (page: HTMLElement, name: string, value: string) =>
  act(() => {
    const field = page.querySelector<HTMLInputElement>(`[name="${name}"]`)
    if (field) field.value = value
    for (const type of ['input', 'change']) field?.dispatchEvent(new Event(type, { bubbles: true }))
  })
const choose = (page: HTMLElement, at: number) =>
  act(() => page.querySelectorAll<HTMLInputElement>('input[name="sold"]')[at]?.click())
const appears = (page: HTMLElement, text: string) =>
  vi.waitFor(() => expect(buttonIn(page, text)).toBeDefined(), PATIENT)
const goes = (page: HTMLElement, text: string) =>
  vi.waitFor(() => expect(buttonIn(page, text)).toBeUndefined(), PATIENT)

test('a purchase is signed at the fee that is chosen: another one takes the quote away', async () => {
  const fake = fakeWallet('xverse', [keyOf(1, 'p2tr'), owner])
  setConnection(await connectWallet(fake.port, 'regtest'))
  vi.spyOn(market, 'get').mockResolvedValue(safe('600', '600', '90000') as never)
  const asked = vi.spyOn(market, 'post').mockResolvedValue(quote as never)
  const estimates = [144, 6].map((blocks, at) => ({ blocks, feeRateSatsPerVb: `${at + 1}` }))
  const page = await shown(<Buying order={orderOf()} />, [
    [['health'], { network: 'regtest' }],
    [['fees'], { estimates, minimumFeeRateSatsPerVb: '1' }],
  ])
  await act(() => buttonIn(page, 'Buy')?.click())
  await appears(page, 'Sign in the wallet')
  expect(asked.mock.lastCall?.[1]).toMatchObject({ body: { feeRateSatsPerVb: '2' } })
  await act(() => page.querySelector<HTMLInputElement>('input[name="speed"][value="1"]')?.click())
  await goes(page, 'Sign in the wallet')
  await act(() => buttonIn(page, 'Buy')?.click())
  await appears(page, 'Sign in the wallet')
  expect(asked.mock.lastCall?.[1]).toMatchObject({ body: { feeRateSatsPerVb: '1' } })
})

test('a quote whose signature was refused in the wallet goes with the address that it was for', async () => {
  const fake = await connect()
  vi.spyOn(market, 'get').mockResolvedValue(safe('600', '600', '90000') as never)
  vi.spyOn(market, 'post').mockResolvedValue({
    ...quote,
    psbt: base64.encode(psbtOf([], []).toPSBT()),
    inputOutpoints: [],
  } as never)
  fake.mood.refuses = true
  const page = await shown(<Buying order={orderOf()} />, [[['health'], { network: 'regtest' }]])
  await change(page, 'assetReceiveAddress', keyOf(3, 'p2tr').address)
  await act(() => buttonIn(page, 'Buy')?.click())
  await appears(page, 'Sign in the wallet')
  await act(() => buttonIn(page, 'Sign in the wallet')?.click())
  await vi.waitFor(() => expect(page.querySelector('.trouble')).not.toBeNull(), PATIENT)
  await change(page, 'assetReceiveAddress', keyOf(4, 'p2tr').address)
  await goes(page, 'Sign in the wallet')
})

test('a quote that expired while the page slept is not signed: it is asked for again', async () => {
  const fake = await connect()
  vi.spyOn(market, 'get').mockResolvedValue(safe('600', '600', '90000') as never)
  const post = vi.spyOn(market, 'post').mockResolvedValue(quote as never)
  const page = await shown(<Buying order={orderOf()} />, [[['health'], { network: 'regtest' }]])
  await change(page, 'assetReceiveAddress', keyOf(3, 'p2tr').address)
  await act(() => buttonIn(page, 'Buy')?.click())
  await appears(page, 'Sign in the wallet')
  let now = Date.now() + 601_000
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  // Before the page is drawn again.
  await act(() => buttonIn(page, 'Sign in the wallet')?.click())
  await vi.waitFor(() => expect(post).toHaveBeenCalledTimes(2), PATIENT)
  await appears(page, 'Sign in the wallet')
  now += 601_000
  await appears(page, 'Quote again')
  expect(buttonIn(page, 'Sign in the wallet')).toBeUndefined()
  await act(() => buttonIn(page, 'Quote again')?.click())
  await appears(page, 'Sign in the wallet')
  expect(post).toHaveBeenCalledTimes(3)
  expect(fake.calls.map(([name]) => name)).not.toContain('signPsbt')
})

test.each([
  ['two outputs', ['20000', '80000'], '500000', '501\u202f200'],
  ['its money where paddings would be', ['20000', '30000', '50000'], '500000', '501\u202f200'],
  ['only the price', ['20000', '80000'], '99000', '100\u202f200'],
  ['no more than the paddings', ['20000', '80000'], '98000', '100\u202f040', '2'],
])('a wallet with %s makes no paddings for what is beyond it', async (...given) => {
  const [, values, price, needed, feeRate = ''] = given
  await connect()
  vi.spyOn(market, 'get').mockImplementation((async (path: string) =>
    path.includes('/addresses/') ? safe(...values) : { quotedPriceSats: price }) as never)
  vi.spyOn(market, 'post').mockRejectedValue(badRequest('QUOTE_REFUSED', 'insufficient funds'))
  const page = await shown(<Buying order={orderOf()} />, [[['health'], { network: 'regtest' }]])
  await change(page, 'assetReceiveAddress', keyOf(3, 'p2tr').address)
  await change(page, 'feeRateSatsPerVb', feeRate)
  await act(() => buttonIn(page, 'Buy')?.click())
  await vi.waitFor(() => expect(page.querySelector('.answer')?.textContent).not.toBe(''), PATIENT)
  expect(page.querySelector('.trouble')?.textContent).toContain(
    `The wallet has 100\u202f000 sats that are safe to pay with, and the order costs ${groupedSats(price)}: ${needed} or more`,
  )
})

test('what paddings were awaited for is quoted as the form is when they are there', async () => {
  await connect()
  let money = safe('600', '90000')
  let client: QueryClient | undefined
  const WithClient = () => {
    client = useQueryClient()
    return <Buying order={orderOf()} />
  }
  vi.spyOn(market, 'get').mockImplementation((async (path: string) =>
    path.includes('/addresses/') ? money : { quotedPriceSats: '40000' }) as never)
  const asked = vi
    .spyOn(market, 'post')
    .mockImplementation((async (path: string) =>
      path.includes('paddings')
        ? { psbt: 'cHNidP8=', networkFeeSats: '200', feeRateSatsPerVb: '1', toSign: [] }
        : quote) as never)
  const page = await shown(<WithClient />, [[['health'], { network: 'regtest' }]])
  await change(page, 'assetReceiveAddress', keyOf(3, 'p2tr').address)
  await act(() => buttonIn(page, 'Buy')?.click())
  await vi.waitFor(() => expect(page.textContent).toContain('Your wallet has none'), PATIENT)
  const corrected = keyOf(4, 'p2tr').address
  await change(page, 'assetReceiveAddress', corrected)
  expect(page.textContent).toContain('Your wallet has none')
  money = safe('600', '600', '88000')
  const arrived = { paddings: [], areSmall: true }
  await act(() => void client?.setQueryData(['padding outputs', owner.address], arrived))
  await appears(page, 'Sign in the wallet')
  expect(asked.mock.lastCall?.[1]).toMatchObject({ body: { assetReceiveAddress: corrected } })
})

const signedFor = (signedPriceSats: string | null) =>
  vi
    .spyOn(market, 'get')
    .mockResolvedValue({ lowest: { ever: signedPriceSats && { signedPriceSats } } } as never)

/** A wallet's window that is open until its answer is asked for. */
function openWindow(fake: Fake, method: 'signPsbt' | 'signMessage') {
  let opens = () => {}
  let isConfirmed = () => {}
  const asked = new Promise<void>((resolve) => {
    opens = resolve
  })
  const answered = new Promise<void>((resolve) => {
    isConfirmed = resolve
  })
  const page = fake.page['unisat'] as Record<string, (...given: never[]) => Promise<unknown>>
  const answer = page[method]
  page[method] = async (...given) => {
    opens()
    await answered
    return answer?.(...given)
  }
  return {
    asked,
    confirm: () =>
      act(async () => {
        isConfirmed()
        // All that follows the answer has run by then.
        await new Promise((next) => setTimeout(next, 50))
      }),
  }
}

const leave = (page: HTMLElement) => act(() => render(null, page))
const disconnect = () => act(() => setConnection(null))
/** What happens to a page before its wallet answers, and how often it then acts. */
const MEANWHILE: [what: string, giveUp: (page: HTMLElement) => unknown, acts: number][] = [
  ['is left', leave, 0],
  ['has no wallet any more', disconnect, 0],
  ['waits', async () => {}, 1],
]
test.each([
  ...MEANWHILE,
  ['is changed', (page: HTMLElement) => change(page, 'quotedPriceSats', '1000000'), 0] as const,
])(
  'what a wallet signs while the page %s is published only if that waits',
  async (_, giveUp, published) => {
    const fake = await connect()
    signedFor(null)
    const { asked, confirm } = openWindow(fake, 'signPsbt')
    const own = [
      { inscriptionId: 'i0', outpoint: inputs[0], valueSats: '546', address: owner.address },
    ]
    const psbt = base64.encode(
      psbtOf([{ owner, sats: 546n, sighash: 0x83 }], [{ to: owner, sats: 100_000n }]).toPSBT(),
    )
    const inspection = { reasons: [], outputValuesSats: ['100000'], inputWitnessUtxos: [] }
    const post = vi.spyOn(market, 'post').mockResolvedValue({ psbt, inspection } as never)
    const page = await shown(<Selling markets={ofInscriptions} />, [
      [['health'], { network: 'regtest' }],
      [['sellable', owner.address], { own, isCut: false }],
    ])
    await change(page, 'quotedPriceSats', '100000')
    await act(() => buttonIn(page, 'Show what I receive')?.click())
    await appears(page, 'Sign and publish')
    await act(() => buttonIn(page, 'Sign and publish')?.click())
    await asked
    await giveUp(page)
    await confirm()
    const publishes = () => post.mock.calls.filter(([path]) => path.endsWith('/publish'))
    await vi.waitFor(() => expect(publishes()).toHaveLength(published), PATIENT)
  },
)

test.each(MEANWHILE)(
  'what a wallet proves while the page %s withdraws only if that waits',
  async (_, giveUp, withdrawn) => {
    const fake = await connect()
    const { asked, confirm } = openWindow(fake, 'signMessage')
    const message = `outpoint: ${OFFERED}:0`
    vi.spyOn(market, 'get').mockResolvedValue({ address: owner.address, message } as never)
    const post = vi.spyOn(market, 'post').mockResolvedValue({ state: 'WITHDRAWN' } as never)
    const page = await shown(<Withdrawing orderId="1" />, [[['health'], { network: 'regtest' }]])
    await act(() => buttonIn(page, 'Withdraw it')?.click())
    await asked
    await giveUp(page)
    await confirm()
    expect(post).toHaveBeenCalledTimes(withdrawn)
  },
)

test.each([
  [0, 'Nothing that was looked at can be listed'],
  [1, 'What is sold'],
])(
  'where %i of the first inscriptions can be listed, the rest are named by their outputs',
  async (many, text) => {
    await connect()
    const one = {
      inscriptionId: 'i0',
      outpoint: inputs[0],
      valueSats: '546',
      address: owner.address,
    }
    const page = await shown(<Selling markets={ofInscriptions} />, [
      [['health'], { network: 'regtest' }],
      [['sellable', owner.address], { own: [one].slice(0, many), isCut: true }],
    ])
    expect(page.textContent).toContain(text)
    expect(page.textContent).toContain('may hold more than was looked at')
  },
)

test('what is signed is what the form shows: a changed field takes the offer to sign away', async () => {
  await connect()
  signedFor('100000')
  const own = [OFFERED, PADDING].map((txid) => ({
    inscriptionId: `${txid}i0`,
    outpoint: { txid, vout: 0 },
    valueSats: '546',
    address: owner.address,
  }))
  const inspection = {
    reasons: [],
    outputValuesSats: ['100000'],
    inputWitnessUtxos: [{ valueSats: '546' }],
  }
  vi.spyOn(market, 'post').mockResolvedValue({ psbt: 'built', inspection } as never)
  const page = await shown(<Selling markets={ofInscriptions} />, [
    [['health'], { network: 'regtest' }],
    [['sellable', owner.address], { own, isCut: false }],
  ])
  const build = async () => {
    await act(() => buttonIn(page, 'Show what I receive')?.click())
    await appears(page, 'Sign and publish')
  }
  await change(page, 'quotedPriceSats', '100000')
  await build()
  expect(page.querySelector('.answer')?.textContent).toContain(
    'that you sell: Inscription cccccccc',
  )
  expect(page.querySelector('[role="alert"]')).toBeNull()
  await choose(page, 1)
  await goes(page, 'Sign and publish')
  await build()
  expect(page.querySelector('.answer')?.textContent).toContain(
    'that you sell: Inscription aaaaaaaa',
  )
  await change(page, 'quotedPriceSats', '200000')
  await goes(page, 'Sign and publish')
  vi.spyOn(market, 'post').mockResolvedValue({
    psbt: 'dearer',
    inspection: { ...inspection, outputValuesSats: ['200000'] },
  } as never)
  await build()
  expect(page.querySelector('[role="alert"]')?.textContent).toBe(
    'An earlier signature sells this output for 100\u202f000 sats, also beside a dearer one: end it first.',
  )
})

const TRANSFER = '{"p":"brc-20","op":"transfer","tick":"ordi","amt":"1000"}'

test.each([
  ['a transfer', TRANSFER, 7, 'ordi 1\u202f000', 'BRC-20 transfers', 'ordi'],
  ['a name', 'cat.sats', 7, 'cat.sats', 'Names and domains', 'sats'],
  ['a bitmap', '840000.bitmap', 7, '840000.bitmap', 'Bitmap', 'bitmap'],
  ['a text', 'two words', 7, 'Inscription 7', 'Inscriptions', 'inscription'],
  ['a cursed number', null, -7, 'Inscription -7', 'Cursed inscriptions', 'inscription'],
  ['nothing known', null, undefined, 'Inscription cccccccc', 'Inscriptions', 'inscription'],
])(
  '%s is chosen by what it shows, and listed as what it is',
  async (_, text, number, title, label, token) => {
    await connect()
    signedFor('100000')
    const named = { contentType: 'text/plain', ...(number !== undefined && { number }) }
    const own = [PADDING, OFFERED].map((txid) => ({
      ...{ inscriptionId: `${txid}i0`, outpoint: { txid, vout: 0 } },
      ...{ valueSats: '546', address: owner.address },
      ...(txid === OFFERED && named),
    }))
    const inspection = {
      ...{ reasons: [], outputValuesSats: ['100000'], inputWitnessUtxos: [{ valueSats: '546' }] },
    }
    const post = vi.spyOn(market, 'post').mockResolvedValue({ psbt: 'built', inspection } as never)
    const shows = [{ id: 'inscriptions', capabilities: { mediaResolution: true } }]
    const page = await shown(<Selling markets={ofInscriptions} />, [
      [['health'], { network: 'regtest' }],
      [['catalog'], shows],
      [['content', `${PADDING}i0`], { kind: 'image', url: 'data:,' }],
      [
        ['content', `${OFFERED}i0`],
        text === null ? { kind: 'image', url: 'data:,' } : { kind: 'text', text },
      ],
      [['sellable', owner.address], { own, isCut: false }],
    ])
    const choice = page.querySelectorAll('label:has(input[name="sold"])')[1]
    expect(choice?.querySelector('.preview')).not.toBeNull()
    expect(choice?.textContent).toContain(title)
    expect(choice?.textContent).toContain('text/plain, in 546 sats')
    await choose(page, 1)
    const field = (name: string) => page.querySelector<HTMLInputElement>(`[name="${name}"]`)
    expect(field('token')?.value).toBe(token)
    await change(page, 'quotedPriceSats', '100000')
    await act(() => buttonIn(page, 'Show what I receive')?.click())
    await appears(page, 'Sign and publish')
    expect(page.querySelector('.answer')?.textContent).toContain(title)
    expect(page.querySelector('.answer')?.textContent).toContain(
      `It is listed under ${label}, as ${token}: no other label`,
    )
    const id = ofInscriptions.find((one) => one.label === label)?.id
    expect(post.mock.calls.at(-1)?.[1]).toMatchObject({ body: { protocolId: id, token } })
  },
)

test('a seller lists under another label, which is of that inscription alone', async () => {
  await connect()
  const own = [PADDING, OFFERED].map((txid) => ({
    ...{ inscriptionId: `${txid}i0`, outpoint: { txid, vout: 0 } },
    ...{ valueSats: '546', address: owner.address },
  }))
  const page = await shown(<Selling markets={ofInscriptions} />, [
    [['health'], { network: 'regtest' }],
    [['sellable', owner.address], { own, isCut: false }],
  ])
  const labels = () =>
    ['protocolId', 'token'].map(
      (name) => page.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value,
    )
  expect(labels()).toEqual(['inscriptions', 'inscription'])
  await change(page, 'protocolId', 'brc20')
  await change(page, 'token', 'sats')
  expect(labels()).toEqual(['brc20', 'sats'])
  await choose(page, 1)
  expect(labels()).toEqual(['inscriptions', 'inscription'])
})
