import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { CopyButton } from '../src/ui/handoff/copy-button.tsx'
import { Identifier, shortened } from '../src/ui/values/identifier.tsx'
import { shown } from './shown.tsx'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const ID = 'ab'.repeat(32)

/** Presses both buttons in a browser with this clipboard: they come to say `said`. */
async function pressed(clipboard: object | undefined, said: string[]): Promise<() => string[]> {
  vi.stubGlobal('navigator', { clipboard })
  const page = await shown([
    <CopyButton key="text" text="psbt" label="Copy" />,
    <Identifier key="id" id={ID} name="order" />,
  ])
  const buttons = [...page.querySelectorAll('button')]
  const texts = () => buttons.map((one) => one.textContent?.trim() ?? '')
  for (const button of buttons) await act(async () => button.click())
  await vi.waitFor(() => expect(texts()).toEqual(said), { timeout: 10_000, interval: 5 })
  const read = [...page.querySelectorAll('[role="status"]')].map((one) => one.textContent)
  expect(read).toEqual(said)
  return texts
}

test('what was copied is said', async () => {
  const writeText = vi.fn(async () => {})
  await pressed({ writeText }, ['Copied', 'copied'])
  expect(writeText.mock.calls).toEqual([['psbt'], [ID]])
})

test('a copy that the browser refuses is said: the clipboard has what it had before', async () => {
  const writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const texts = await pressed({ writeText }, ['Not copied: the browser refuses', 'not copied'])
  // It must be read by eye then.
  await act(() => void vi.advanceTimersByTime(10_000))
  expect(texts()).toEqual(['Copy', shortened(ID)])
})

test.each([
  [true, ['Copied', 'copied']],
  [false, ['Not copied: the browser refuses', 'not copied']],
])('without a clipboard, as by http, what is selected is copied: %s', async (works, said) => {
  const selected: (string | undefined)[] = []
  document.execCommand = () => {
    selected.push(document.querySelector('textarea')?.value)
    return works
  }
  await pressed(undefined, said)
  expect(selected).toEqual(['psbt', ID])
  expect(document.querySelector('textarea')).toBeNull()
})
