import { act } from 'preact/test-utils'
import type { InspectResult } from 'psbt-market-client'
import { decodeQR } from 'qr/decode.js'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { OrderPage } from '../../src/order/order-page.tsx'
import { ExposureForm } from '../../src/sell/exposure-form.tsx'
import { InspectionView } from '../../src/sell/inspection-view.tsx'
import { MessageHandoff } from '../../src/sell/withdraw-form.tsx'
import { shown } from '../shown.tsx'

// The service has not answered yet.
beforeEach(() => void vi.stubGlobal('fetch', () => new Promise(() => {})))
afterEach(() => void vi.unstubAllGlobals())

const inspected = (changes: object) =>
  ({
    order: null,
    verdict: null,
    problems: [],
    refusedAs: null,
    ...changes,
  }) as never as InspectResult

test.each([
  [{ verdict: { state: 'REJECTED' } }, 'It would be listed as rejected.'],
  [{ verdict: { state: 'LIVE' } }, 'It would be listed as live.'],
  [{ refusedAs: 'INVALID_PSBT' }, 'It would be refused: INVALID_PSBT.'],
])('an inspection with %j says %j', async (changes, text) => {
  const page = await shown(<InspectionView result={inspected(changes)} />)
  expect(page.querySelector('.verdict')?.textContent).toBe(text)
})

test('what is neither output nor address is said at the field, before anything is asked', async () => {
  const page = await shown(<ExposureForm />)
  const field = page.querySelector<HTMLInputElement>('[name="of"]')
  if (field) field.value = 'nonsense'
  await act(async () => void page.querySelector('form')?.requestSubmit())
  await vi.waitFor(() => expect(document.activeElement).toBe(field), { timeout: 10_000 })
  expect(page.querySelector('.fault')?.textContent).toContain('It is neither.')
  expect(page.querySelector('[role="alert"]')).toBeNull()
})

test('an order that is awaited has its shape, and says that it is awaited', async () => {
  const page = await shown(<OrderPage id={'a'.repeat(64)} />)
  const status = page.querySelector('.skeleton[role="status"]')
  expect(status?.textContent).toBe('Loading the order…')
  expect(status?.querySelectorAll('.bone').length).toBeGreaterThan(3)
})

/** What a camera reads of a code: the modules of its path, each some pixels wide, on white. */
function readCode(code: Element | null): string {
  const [PIXELS, QUIET] = [3, 4]
  const modules = Number(code?.getAttribute('viewBox')?.split(' ')[2])
  const width = (modules + 2 * QUIET) * PIXELS
  const data = new Uint8ClampedArray(width * width * 4).fill(255)
  const path = code?.querySelector('path')?.getAttribute('d') ?? ''
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1/g))
    for (let at = 0; at < PIXELS * PIXELS; at += 1) {
      const column = (Number(x) + QUIET) * PIXELS + (at % PIXELS)
      const row = (Number(y) + QUIET) * PIXELS + Math.trunc(at / PIXELS)
      data.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3)
    }
  return decodeQR({ width, height: width, data })
}

test('the message of a withdrawal is copied, or read by a camera, as it is', async () => {
  const message = `market.example asks the owner:\nwithdraw ${'ab'.repeat(32)}\n≈ 2026-03-01`
  const page = await shown(<MessageHandoff message={message} />)
  expect(page.querySelector('textarea')?.value).toBe(message)
  expect(page.querySelector('svg')).toBeNull()
  const [copy, show] = [...page.querySelectorAll('button')]
  expect(copy?.textContent).toBe('Copy the message')
  await act(async () => show?.click())
  await vi.waitFor(() => expect(page.querySelector('svg.qr')).not.toBeNull(), { timeout: 10_000 })
  expect(readCode(page.querySelector('svg.qr'))).toBe(message)
})
