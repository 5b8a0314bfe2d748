import { QueryClient, QueryClientProvider } from '@tanstack/preact-query'
import { type ComponentChild, render } from 'preact'
import { act } from 'preact/test-utils'
import type { ProtocolTemplate } from 'psbt-market-client'

const MARKETS = [
  { id: 'inscriptions', label: 'Inscriptions', capabilities: { mediaResolution: false } },
] as ProtocolTemplate[]

/**
 * What a component shows in an empty page, where the markets were read, and `known` by its keys; undefined: not
 * read yet. `before` was there first.
 */
export async function shown(
  component: ComponentChild,
  known: readonly (readonly [key: readonly string[], data: unknown])[] = [],
  before: ComponentChild = component,
): Promise<HTMLElement> {
  const client = new QueryClient({ defaultOptions: { queries: { enabled: false } } })
  client.setQueryData(['catalog'], MARKETS)
  for (const [key, data] of known) {
    if (data === undefined) client.removeQueries({ queryKey: key })
    else client.setQueryData(key, data)
  }
  const place = document.createElement('main')
  document.body.replaceChildren(place)
  for (const one of before === component ? [component] : [before, component]) {
    await act(() => {
      render(<QueryClientProvider client={client}>{one}</QueryClientProvider>, place)
    })
  }
  return place
}
