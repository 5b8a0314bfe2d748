import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { Router } from 'wouter-preact'
import { market } from '../../src/api/market.ts'
// The page loads it by itself, which must not outlive the test.
import '../../src/sell/withdraw-steps.tsx'
import { WithdrawForm } from '../../src/sell/withdraw-form.tsx'
import { shown } from '../shown.tsx'

afterEach(() => void vi.restoreAllMocks())

const PATIENT = { timeout: 20_000 }

test('what is typed beside a withdrawal takes neither its signature nor what becomes of it', async () => {
  const challenge = {
    ...{ orderId: '1', address: 'bcrt1q', message: 'withdraw 1' },
    expiresAt: new Date(Date.now() + 600_000).toISOString(),
  }
  vi.spyOn(market, 'get').mockResolvedValue(challenge as never)
  let answer: (given: unknown) => void = () => {}
  const withdrawn = new Promise((resolve) => {
    answer = resolve
  })
  const post = vi.spyOn(market, 'post').mockReturnValue(withdrawn as never)
  const page = await shown(
    <Router searchHook={() => ''}>
      <WithdrawForm />
    </Router>,
  )
  const write = (name: string, text: string) =>
    act(() => {
      const field = page.querySelector<HTMLInputElement>(`[name="${name}"]`)
      if (field) field.value = text
      field?.dispatchEvent(new Event('input', { bubbles: true }))
    })
  const press = (words: string) =>
    act(() =>
      [...page.querySelectorAll('button')].find((one) => one.textContent === words)?.click(),
    )
  const signature = () => page.querySelector<HTMLTextAreaElement>('[name="signature"]')
  await write('id', '1')
  await press('Get the message')
  await vi.waitFor(() => expect(signature()).not.toBeNull(), PATIENT)
  expect(page.textContent).toMatch(/with the key of the address below\. \d+ min/)
  expect(page.textContent).not.toMatch(/\s[.,;:]/)
  await write('signature', 'c2lnbmVk')
  await write('id', '12')
  expect(signature()?.value).toBe('c2lnbmVk')
  await press('Withdraw')
  await vi.waitFor(() => expect(post).toHaveBeenCalled(), PATIENT)
  await write('id', '123')
  await act(async () => answer({ state: 'WITHDRAWN' }))
  await vi.waitFor(() => expect(page.textContent).toContain('The order is withdrawn'), PATIENT)
})
