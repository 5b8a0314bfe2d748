import { describe, expect, test } from 'vitest'
import { settingsIn } from '../src/api/settings.ts'
import { refusalIn } from '../src/content/content.ts'
import { ExplorerLink } from '../src/content/explorer-link.tsx'
import { inWords } from '../src/content/in-words.ts'
import { OrderTitle } from '../src/content/order-title.tsx'
import { Preview } from '../src/content/preview.tsx'
import { SoldItem } from '../src/content/sold-item.tsx'
import { HOSTILE, MARKUP } from './hostile.ts'
import { orderOf } from './orders.ts'
import { shown } from './shown.tsx'

const ID = `${'c'.repeat(64)}i0`
const CONTENT = ['content', ID]
const SHOWS = [
  ['catalog'],
  [{ id: 'inscriptions', capabilities: { mediaResolution: true } }],
] as const
const order = orderOf({
  assets: [
    { inscriptionId: ID, outpoint: { txid: 'd'.repeat(64), vout: 0 }, inscriptionNumber: 5 },
  ],
})

describe('in words', () => {
  test.each([
    ['cat.sats', 'cat.sats'],
    [' 123456.bitmap\n', '123456.bitmap'],
    ['{"p":"sns","op":"reg","name":"cat.sats"}', 'cat.sats'],
    ['{"p":"brc-20","op":"transfer","tick":"ordi","amt":"1000"}', 'ordi 1\u202f000'],
    [
      '{"p":"brc-20","op":"transfer","tick":"ordi","amt":"1234567.25"}',
      'ordi 1\u202f234\u202f567.25',
    ],
  ])('%j is %j', (text, words) => {
    expect(inWords(text)).toBe(words)
  })

  test.each([
    '',
    'a sentence. Another',
    'two words.sats',
    '{"p":"brc-20"}',
    '{"p":"brc-20","op":"mint","tick":"ordi","amt":"1000"}',
    '{"p":"brc-20","op":"transfer","tick":"ordi","amt":"1e9"}',
    '{"p":"brc-20","op":"transfer","tick":["ordi"],"amt":"1"}',
    '{"__proto__":{"p":"sns"}}',
    '{',
    `${'a'.repeat(600)}.sats`,
  ])('%j is neither a name nor a transfer', (text) => {
    expect(inWords(text)).toBeNull()
  })
})

test.each([
  [
    { code: 'CONTENT_NOT_SHOWN', message: 'text/html, 2048 bytes: this type is not shown here' },
    'HTML, 2\u202f048 bytes: this type is not shown here.',
  ],
  [{ code: 'ORDER_HIDDEN', message: 'x' }, 'Hidden by an operator of this service.'],
  [{ code: 'CONTENT_NOT_FOUND', message: 'x' }, 'Nothing to show.'],
  [null, 'Nothing to show.'],
])('a refusal is said in words: %j', (said, words) => {
  expect(refusalIn(said)).toEqual({ kind: 'refused', words })
})

describe('an order shows what is sold', () => {
  test('its title is what the content says', async () => {
    const text = '{"p":"brc-20","op":"transfer","tick":"ordi","amt":"1000"}'
    const known = [SHOWS, [CONTENT, { kind: 'text', text }]] as const
    expect((await shown(<OrderTitle order={order} />, known)).textContent).toBe('ordi 1\u202f000')
    expect((await shown(<OrderTitle order={order} />)).textContent).toBe('Inscription 5')
  })

  test.each(HOSTILE)('the text %j is text, whole and small', async (text) => {
    const known = [SHOWS, [CONTENT, { kind: 'text', text }]] as const
    for (const one of [<SoldItem order={order} />, <Preview inscriptionId={ID} size={96} />]) {
      const page = await shown(one, known)
      expect(page.textContent).toContain(text)
      expect(page.querySelectorAll(MARKUP)).toHaveLength(0)
    }
  })

  test('an SVG is in a frame that may do nothing', async () => {
    const known = [SHOWS, [CONTENT, { kind: 'svg', url: 'about:blank' }]] as const
    for (const one of [<SoldItem order={order} />, <Preview inscriptionId={ID} size={96} />]) {
      const frame = (await shown(one, known)).querySelector('iframe')
      expect(frame?.getAttribute('sandbox')).toBe('')
      expect(frame?.getAttribute('src')).toBe('about:blank')
    }
  })

  test('what an operator hides meanwhile is shown no longer, though it was read', async () => {
    const text = '{"p":"brc-20","op":"transfer","tick":"ordi","amt":"1000"}'
    const known = [SHOWS, [CONTENT, { kind: 'text', text }]] as const
    const reasons = ['hidden_by_operator']
    const hidden = { ...order, validation: { ...order.validation, reasons } }
    const page = await shown(<SoldItem order={hidden} />, known)
    expect(page.textContent).toContain('Hidden by an operator of this service.')
    expect(page.textContent).not.toContain('ordi')
    expect((await shown(<OrderTitle order={hidden} />, known)).textContent).toBe('Inscription 5')
  })

  test.each(['PENDING_ASSET', 'REJECTED'] as const)(
    'what is only claimed is not: %s',
    async (state) => {
      const known = [SHOWS, [CONTENT, { kind: 'text', text: 'claimed' }]] as const
      const page = await shown(<SoldItem order={{ ...order, state }} />, known)
      expect(page.textContent).toContain('No inscription is proved to be in it.')
    },
  )

  test('nothing is there where the operator set nothing', async () => {
    for (const one of [<SoldItem order={order} />, <Preview inscriptionId={ID} size={96} />])
      expect((await shown(one)).textContent).toBe('')
  })
})

describe('links to explorers', () => {
  test('go to the base that the operator named, and nowhere without one', async () => {
    const explorerUrl = 'https://explorer.example/testnet4'
    const known = [[['settings'], { isDevnet: false, explorerUrl }]] as const
    const link = (
      <ExplorerLink of="tx" id="ab">
        {'x'}
      </ExplorerLink>
    )
    const anchor = (await shown(link, known)).querySelector('a')
    expect(anchor?.getAttribute('href')).toBe(`${explorerUrl}/tx/ab`)
    expect(anchor?.getAttribute('rel')).toBe('noopener noreferrer')
    expect((await shown(link)).querySelector('a')).toBeNull()
  })

  test('are http(s) only, whatever the settings say', () => {
    expect(settingsIn({ explorerUrl: 'https://a.example/b/' }).explorerUrl).toBe(
      'https://a.example/b',
    )
    for (const explorerUrl of ['javascript:alert(1)', 'data:text/html,x', 7, ''])
      expect(settingsIn({ explorerUrl })).toEqual({ isDevnet: false, showsFiat: false })
    expect(settingsIn(null)).toEqual({ isDevnet: false, showsFiat: false })
  })
})
