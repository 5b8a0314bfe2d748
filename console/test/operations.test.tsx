import { act } from 'preact/test-utils'
import type { MarketClient } from 'psbt-market-client'
import { expect, test, vi } from 'vitest'
import { ActsCard } from '../src/operations/acts-card.tsx'
import { bytesText, durationText, rateText } from '../src/operations/figures.ts'
import { LettersCard } from '../src/operations/letters-card.tsx'
import { ProcessCard } from '../src/operations/process-card.tsx'
import { RecordPage } from '../src/operations/record-browser.tsx'
import { HOSTILE, MARKUP } from './hostile.ts'
import { shown } from './shown.tsx'

const letterOf = (offset: number, reason = 'unreadable', retriedAt: string | null = null) => ({
  ...{ partition: 1, offset, retriedAt },
  reasons: [reason],
})
/** Keeps what is posted, and answers each post in turn. */
function operatorWith(...answers: unknown[]) {
  const posted: unknown[] = []
  const post = async (_path: string, { body }: { body: unknown }) => {
    posted.push(body)
    return answers.shift()
  }
  return { posted, operator: { post } as unknown as MarketClient }
}
const press = async (page: HTMLElement, label: string) => {
  const button = [...page.querySelectorAll('button')].find((one) => one.textContent === label)
  await act(async () => button?.click())
}
const says = (page: HTMLElement, text: string) =>
  vi.waitFor(() => expect(page.textContent).toContain(text), { timeout: 30_000 })

test('all letters are retried only when it was asked twice, and what is left goes on', async () => {
  const place = { partition: 1, offset: 3 }
  const { posted, operator } = operatorWith(
    { retries: [{ place, toPartition: null, why: 'still unreadable: x' }], next: place },
    { retries: [{ place: { ...place, offset: 4 }, toPartition: 0, why: null }], next: null },
  )
  const letters = [letterOf(3), letterOf(4)]
  const page = await shown(<LettersCard operator={operator} letters={letters} />)
  await press(page, 'Retry all')
  expect(posted).toEqual([])
  await press(page, 'Yes, retry all that were not retried')
  expect(posted).toEqual([{ places: 'all' }])
  await says(page, '0 of 1 retried.Partition 1, offset 3: still unreadable: x')
  await press(page, 'Go on with the rest')
  expect(posted[1]).toEqual({ places: 'all', after: place })
  await says(page, '1 of 1 retried.')
  expect(page.textContent).not.toContain('Go on')
})

test('a double click on what is asked twice leaves it', async () => {
  const { posted, operator } = operatorWith()
  const page = await shown(<LettersCard operator={operator} letters={[letterOf(3), letterOf(4)]} />)
  const first = [...page.querySelectorAll('button')].at(-1)
  await act(async () => first?.click())
  expect(first?.isConnected).toBe(true)
  expect(first?.textContent).toBe('No')
  await act(async () => first?.click())
  expect(posted).toEqual([])
  expect(page.textContent).not.toContain('Yes, retry all')
})

test('one letter is retried at once; one that was retried is not offered again', async () => {
  const { posted, operator } = operatorWith({ retries: [], next: null })
  const letters = [letterOf(3), letterOf(4, 'old', '2026-11-24T12:00:00.000Z')]
  const page = await shown(<LettersCard operator={operator} letters={letters} />)
  expect([...page.querySelectorAll('button')].map(({ textContent }) => textContent)).toEqual([
    ...['Show record', 'Retry', 'Show record'],
  ])
  await press(page, 'Retry')
  expect(posted).toEqual([{ places: [{ partition: 1, offset: 3 }] }])
})

test.each(HOSTILE)('a reason of %j is text', async (text) => {
  const { operator } = operatorWith()
  const page = await shown(<LettersCard operator={operator} letters={[letterOf(3, text)]} />)
  expect(page.querySelector('bdi')?.textContent).toBe(text)
  expect(page.querySelectorAll(MARKUP)).toHaveLength(0)
})

const GIB = 2 ** 30
const report = (role: 'all' | 'gateway', daysLeft: number | null, bytesPerDay: number | null) => ({
  build: { version: '0.9.0', commit: 'unknown', node: '24.0.0' },
  process: {
    ...{ role, startedAt: '2026-11-24T12:00:00.000Z', uptimeSeconds: 90_000 },
    ...{ requestsPerSecond: 12.4, importsPerSecond: null },
    disk: { freeBytes: 20 * GIB, sizeBytes: 50 * GIB, storeBytes: GIB, bytesPerDay, daysLeft },
  },
  rates: { inboxPerSecond: 0.5, lifecyclePerSecond: 0 },
})

test('the process says its version, uptime, rates, and how long the disk lasts', async () => {
  const page = await shown(<ProcessCard report={report('all', 10, 2 * GIB)} />)
  expect(page.querySelector('h2')?.textContent).toBe('This service')
  const facts = [...page.querySelectorAll('dd')].map(({ textContent }) => textContent)
  expect(facts).toEqual([
    ...['0.9.0', 'unknown', '24.0.0', '1 d 1 h', '12 a second', 'known in a moment'],
    ...['records: 0.50 a second', 'records: none in the last minute'],
    '20.0 GiB free of 50.0 GiB, the store has 1.0 GiB; fills by 2.0 GiB a day: 10 days left',
  ])
  expect(page.querySelector('.stale')?.textContent).toContain('10 days left')
})

test('one gateway of many says that it is only that', async () => {
  const page = await shown(<ProcessCard report={report('gateway', null, null)} />)
  expect(page.querySelector('h2')?.textContent).toBe('This gateway')
  expect(page.textContent).toContain('the rest is this gateway’s own')
  expect(page.textContent).toContain('known after an hour')
})

test.each([
  [bytesText(0), '0 B'],
  [bytesText(1_023), '1023 B'],
  [bytesText(1_024), '1.0 KiB'],
  [bytesText(150 * GIB), '150 GiB'],
  [rateText(0.009), 'none in the last minute'],
  [durationText(59), '59 s'],
  [durationText(3_600), '1 h'],
  [durationText(7 * 86_400), '7 d'],
])('%s is %s', (text, wanted) => {
  expect(text).toBe(wanted)
})

test('acts of operators have a name each, and say what was refused', async () => {
  const act = { at: '2026-11-24T12:00:00.000Z', operator: 'mia', about: HOSTILE[0] ?? '' }
  const acts = [
    { ...act, act: 'hide an order', refused: 'ORDER_NOT_FOUND' },
    { ...act, act: 'retried dead letters', refused: null },
  ]
  const page = await shown(<ActsCard acts={acts} />)
  const texts = [...page.querySelectorAll('li')].map(({ textContent }) => textContent ?? '')
  expect(texts[0]).toContain('mia hide an order, refused: ORDER_NOT_FOUND')
  expect(texts[1]).not.toContain('refused')
  expect(page.querySelectorAll(MARKUP)).toHaveLength(0)
})

const pageOf = (more: Partial<Parameters<typeof RecordPage>[0]['page']>) => ({
  ...{ topic: 'orders.dead' as const, records: [], older: null, newer: null, scanned: 0 },
  ...{ stopped: null, ...more },
})

test('a page that ended early says why, and goes on from its cursor', async () => {
  const turned: string[] = []
  const page = await shown(
    <RecordPage
      page={pageOf({ older: 'c', scanned: 20_000, stopped: 'records' })}
      isBusy={false}
      turn={(cursor) => turned.push(cursor)}
    />,
  )
  expect(page.textContent).toContain('20000 were read; go on')
  expect(page.textContent).not.toContain('No record.')
  await press(page, 'Newer')
  await press(page, 'Older')
  expect(turned).toEqual(['c'])
})

test.each(HOSTILE)('a record that says %j is text', async (text) => {
  const record = {
    ...{ partition: 1, offset: 3, at: '2026-11-24T12:00:00.000Z', key: text, schema: 'DeadRecord' },
    ...{ kind: 'dead', what: text, headers: { name: text }, bytes: 7, isCut: false },
    ...{ chain: { prevHash: null, hash: text }, value: { text } },
  }
  const page = await shown(
    <RecordPage page={pageOf({ records: [record] })} isBusy={false} turn={() => {}} />,
  )
  const details = page.querySelector('details')
  if (details) details.open = true
  await act(async () => {
    details?.dispatchEvent(new Event('toggle'))
  })
  await says(page, 'Hash before')
  expect(page.querySelectorAll('bdi')).toHaveLength(5)
  expect(page.querySelectorAll(MARKUP)).toHaveLength(0)
})
