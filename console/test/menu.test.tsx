import { act } from 'preact/test-utils'
import { expect, test } from 'vitest'
import { Link } from 'wouter-preact'
import { Menu } from '../src/ui/shell/menu.tsx'
import { shown } from './shown.tsx'

const opened = async () => {
  const page = await shown(
    <Menu>
      <Link href="/console/sell">Sell</Link>
    </Menu>,
  )
  const button = page.querySelector('button')
  const links = page.querySelector('nav')
  const isOpen = () => [button?.getAttribute('aria-expanded'), links?.dataset['open']]
  expect(isOpen()).toEqual(['false', 'false'])
  expect(button?.getAttribute('aria-controls')).toBe(links?.id)
  await act(() => button?.click())
  expect(isOpen()).toEqual(['true', 'true'])
  links?.querySelector('a')?.focus()
  return { page, button, links, isOpen }
}

test('a button opens the menu, and closes it', async () => {
  const { button, isOpen } = await opened()
  await act(() => button?.click())
  expect(isOpen()).toEqual(['false', 'false'])
})

test('Escape closes it, and its button has the focus again', async () => {
  const { button, isOpen } = await opened()
  await act(() => void dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' })))
  expect(isOpen()).toEqual(['false', 'false'])
  expect(document.activeElement).toBe(button)
})

test('it closes behind the page that was chosen in it, were it the page itself', async () => {
  const { button, links, isOpen } = await opened()
  await act(() => links?.querySelector('a')?.click())
  expect(location.pathname).toBe('/console/sell')
  expect(isOpen()).toEqual(['false', 'false'])
  expect(document.activeElement).toBe(button)
})
