import { QueryClient, QueryClientProvider } from '@tanstack/preact-query'
import type { ComponentChild } from 'preact'
import { act } from 'preact/test-utils'
import { createMarketClient } from 'psbt-market-client'
import { afterEach, expect, test, vi } from 'vitest'
import { ModerationCard } from '../src/operations/moderation-card.tsx'
import { RecordBrowser } from '../src/operations/record-browser.tsx'
import { TokenForm } from '../src/operations/token-form.tsx'
import { WebhookForm } from '../src/operations/webhook-form.tsx'
import { shown } from './shown.tsx'

interface Refused {
  status: number
  code: string
  message: string
}

/** A service that refuses all that is asked of it; `asked` are the targets. */
function refusing({ status, code, message }: Refused) {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (target: string | URL) => {
    const { pathname, search } = new URL(target)
    asked.push(pathname + search)
    const body = { statusCode: status, error: 'Refused', message, requestId: 'r', code }
    return Response.json(body, { status })
  })
  const operator = createMarketClient({ baseUrl: location.origin, token: 'a', attempts: 1 })
  return { asked, operator }
}
afterEach(() => {
  vi.unstubAllGlobals()
})

const asking = (component: ComponentChild) => (
  <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
    {component}
  </QueryClientProvider>
)
/** A busy machine takes its time. */
const WAITS = { timeout: 30_000 }
const field = (page: HTMLElement, name: string) => page.querySelector(`[name="${name}"]`)
async function fill(page: HTMLElement, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values))
    (field(page, name) as HTMLInputElement).value = value
  await act(async () => page.querySelector('form')?.requestSubmit())
}
/** The fault is said at the field alone, and the field has the focus. */
const saysAt = (page: HTMLElement, name: string, text: string) =>
  vi.waitFor(() => {
    const at = field(page, name)
    expect(at?.getAttribute('aria-invalid')).toBe('true')
    const ids = (at?.getAttribute('aria-describedby') ?? '').split(' ')
    expect(ids.map((id) => document.getElementById(id)?.textContent)).toContain(text)
    expect(document.activeElement).toBe(at)
    expect(page.querySelector('form + .answer [role="alert"]')).toBeNull()
  }, WAITS)
const refusal = (message: string): Refused => ({ status: 400, code: 'VALIDATION_FAILED', message })

test('a token of no operator is said at its field', async () => {
  const message = 'Authorization: must be Bearer and the token of an operator'
  refusing({ status: 401, code: 'UNAUTHORIZED', message })
  const page = await shown(<TokenForm accept={() => expect.unreachable()} />)
  await fill(page, { token: 'wrong' })
  await saysAt(
    page,
    'token',
    'No operator of this service has this token now: copy all of it again.',
  )
})

test.each([
  ['name: is taken', 'name', 'Write 1 to 40 of a-z, 0-9 and dashes, as no other webhook is named.'],
  ['url: must be at port 443 or above 1023', 'url', 'Must be at port 443 or above 1023.'],
  [
    'filter.token: must be 1 to 64 characters',
    'filter.token',
    'Write it as an order shows it, or leave it empty.',
  ],
])('a webhook refused by “%s” says so at the field %s', async (message, name, text) => {
  const { operator } = refusing(refusal(message))
  const page = await shown(<WebhookForm operator={operator} created={() => expect.unreachable()} />)
  await fill(page, { name: 'shop', url: 'https://hooks.example/market', 'filter.token': 'gold' })
  await saysAt(page, name, text)
  expect(page.querySelector('details')?.open).toBe(true)
})

test.each([
  [
    { status: 404, code: 'ORDER_NOT_FOUND', message: 'there is no order with this id' },
    'id',
    'No order here has this id: copy it from its page.',
  ],
  [refusal('reason: is too long'), 'reason', 'Write at most 280 characters on one line.'],
])('moderation refused by $code says so at its field', async (refused, name, text) => {
  const { asked, operator } = refusing(refused)
  const page = await shown(<ModerationCard operator={operator} />)
  await fill(page, { id: 'ab', move: 'unhide', reason: 'sold' })
  await saysAt(page, name, text)
  expect(asked).toEqual(['/api/market/admin/orders/ab/unhide'])
})

test('a withdrawal for good is asked once more, and not of a form that was changed since', async () => {
  const { asked, operator } = refusing({ status: 503, code: 'OVERLOADED', message: 'busy' })
  const page = await shown(<ModerationCard operator={operator} />)
  const button = (text: string) =>
    [...page.querySelectorAll('button')].find((one) => one.textContent?.includes(text))
  await fill(page, { id: 'ab', move: 'withdraw' })
  expect(page.textContent).toContain('Withdraw the order ab?')
  await act(async () => {
    field(page, 'id')?.dispatchEvent(new Event('input', { bubbles: true }))
  })
  expect(button('Yes, withdraw')).toBeUndefined()
  await fill(page, { id: 'ab', move: 'withdraw' })
  expect(asked).toEqual([])
  await act(async () => button('Yes, withdraw')?.click())
  await vi.waitFor(() => expect(asked).toEqual(['/api/market/admin/orders/ab/withdraw']), WAITS)
})

const topic = {
  ...{ topic: 'orders.lifecycle' as const, partitions: 4, offsets: 9, bytes: null },
  ...{ cleanUp: 'keep' as const, keptForMs: null },
}

test.each([
  [
    'partition: orders.lifecycle has 0 to 3',
    'partition',
    'Write a number from 0 to 3, or leave it empty.',
  ],
  ['from: must be an offset', 'from', 'Write a time such as 2026-01-31T12:00:00Z, or digits.'],
])('a question of the log refused by “%s” says so at the field %s', async (message, name, text) => {
  const { asked, operator } = refusing(refusal(message))
  const page = await shown(asking(<RecordBrowser operator={operator} topic={topic} />))
  await vi.waitFor(() => expect(asked).toHaveLength(1), WAITS)
  await fill(page, { key: 'k', partition: '7', from: 'yesterday' })
  await saysAt(page, name, text)
  const [, second] = asked
  expect(second).toBe(
    '/api/market/admin/topics/orders.lifecycle/records?key=k&partition=7&from=yesterday',
  )
})

test('the log is read again by the same question: there may be new records', async () => {
  const { asked, operator } = refusing({ status: 503, code: 'OVERLOADED', message: 'busy' })
  const page = await shown(asking(<RecordBrowser operator={operator} topic={topic} />))
  await vi.waitFor(
    () => expect(page.querySelector('[role="alert"]')?.textContent).toBe('busy'),
    WAITS,
  )
  await fill(page, {})
  await vi.waitFor(() => expect(asked).toHaveLength(2), WAITS)
  expect(asked[1]).toBe(asked[0])
  expect(page.querySelectorAll('[role="alert"]').length).toBeLessThan(2)
})
