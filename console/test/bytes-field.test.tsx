import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'
import { BytesField } from '../src/ui/forms/bytes-field.tsx'
import { shown } from './shown.tsx'

/** The field once a file was chosen: what it holds, and what it says in the place that was there for it. */
async function chosen(file: File) {
  const page = await shown(<BytesField name="psbt" label="PSBT" />)
  const input = page.querySelector<HTMLInputElement>('input[type="file"]')
  if (!input) throw new Error('it takes no file')
  const status = page.querySelector('[role="status"]')
  const emptied = vi.fn()
  Object.defineProperty(input, 'files', { value: [file] })
  Object.defineProperty(input, 'value', { set: emptied })
  await act(async () => void input.dispatchEvent(new Event('change', { bubbles: true })))
  await vi.waitFor(() => expect(emptied).toHaveBeenCalledWith(''), { timeout: 10_000 })
  const said = () => status?.textContent
  return { text: page.querySelector('textarea'), said }
}

test('a file is read each time it is chosen, and it is said which one was', async () => {
  const { text, said } = await chosen(new File(['psbt\u0000'], 'ask.psbt'))
  expect(text?.value).toBe(btoa('psbt\u0000'))
  expect(said()).toMatch(/^Read from ask\.psbt at /)
  await act(async () => void text?.dispatchEvent(new Event('input', { bubbles: true })))
  expect(said()).toBe('')
})

test('a file that cannot be read is said, and what was there stays', async () => {
  const gone = new File([], 'ask.psbt')
  gone.arrayBuffer = () => Promise.reject(new DOMException('gone', 'NotReadableError'))
  const { text, said } = await chosen(gone)
  expect(text?.value).toBe('')
  expect(said()).toBe('ask.psbt could not be read: choose it again.')
})
