import { QueryClient, QueryClientProvider } from '@tanstack/preact-query'
import { type ComponentChild, render } from 'preact'
import { act } from 'preact/test-utils'
import type { ProtocolTemplate } from 'psbt-market-client'

const MARKETS = [{ id: 'inscriptions', label: 'Inscriptions' }] as ProtocolTemplate[]

/** What a component shows in an empty page, where the markets were read and nothing else is. */
export async function shown(component: ComponentChild): Promise<HTMLElement> {
  const client = new QueryClient({ defaultOptions: { queries: { enabled: false } } })
  client.setQueryData(['catalog'], MARKETS)
  const place = document.createElement('main')
  document.body.replaceChildren(place)
  await act(() => {
    render(<QueryClientProvider client={client}>{component}</QueryClientProvider>, place)
  })
  return place
}
