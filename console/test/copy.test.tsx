import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { CopyButton } from '../src/ui/handoff/copy-button.tsx'
import { Identifier } from '../src/ui/values/identifier.tsx'
import { shown } from './shown.tsx'

afterEach(() => void vi.unstubAllGlobals())

const ID = 'ab'.repeat(32)

/** Presses both buttons in a browser with this clipboard: they come to say `said`. */
async function pressed(clipboard: object | undefined, said: string[]): Promise<void> {
  vi.stubGlobal('navigator', { clipboard })
  const page = await shown([
    <CopyButton key="text" text="psbt" label="Copy" />,
    <Identifier key="id" id={ID} name="order" />,
  ])
  const buttons = [...page.querySelectorAll('button')]
  for (const button of buttons) await act(async () => button.click())
  await vi.waitFor(() => expect(buttons.map((one) => one.textContent?.trim())).toEqual(said), {
    timeout: 10_000,
    interval: 5,
  })
}

test('what was copied is said', async () => {
  const writeText = vi.fn(async () => {})
  await pressed({ writeText }, ['Copied', 'copied'])
  expect(writeText.mock.calls).toEqual([['psbt'], [ID]])
})

test('a copy that the browser refuses is said: the clipboard has what it had before', async () => {
  const writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
  await pressed({ writeText }, ['Not copied: the browser refuses', 'not copied'])
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
