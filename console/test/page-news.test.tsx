import { useState } from 'preact/hooks'
import { act } from 'preact/test-utils'
import { expect, test } from 'vitest'
import { Router } from 'wouter-preact'
import { memoryLocation } from 'wouter-preact/memory-location'
import { PageNews } from '../src/ui/shell/page-news.tsx'
import { setTitleBadge, usePageTitle } from '../src/ui/shell/page-title.ts'
import { shown } from './shown.tsx'

test('the page that a link led to is said to a screen reader, politely and without its badge', async () => {
  const { hook, navigate } = memoryLocation({ path: '/' })
  let load: (title: string) => void = () => {}
  const Page = () => {
    const [title, setTitle] = useState('Book')
    load = setTitle
    usePageTitle(title)
    return null
  }
  const page = await shown(
    <Router hook={hook}>
      <Page />
      <PageNews />
    </Router>,
  )
  const said = () => page.querySelector('.unseen[role="status"]')?.textContent
  // The browser says the title of a document that it loads.
  expect(said()).toBe('')
  await act(() => load('Book of asks'))
  expect(said()).toBe('')
  await act(() => navigate('/console/market'))
  // Its page is loaded first: the one before is not said.
  expect(said()).toBe('')
  await act(() => load('Statistics'))
  expect(said()).toBe('Statistics')
  await act(() => setTitleBadge(1))
  expect(said()).toBe('Statistics')
  expect(document.title).toBe('(1) Statistics · PSBT Market')
  await act(() => {
    navigate('/')
    load('Book')
  })
  expect(said()).toBe('Book')
  setTitleBadge(0)
})
