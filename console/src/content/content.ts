import { useQuery } from '@tanstack/preact-query'
import { useCatalog } from '../api/catalog.ts'
import { groupedSats } from '../ui/values/amounts.ts'

/** Then it is asked for again: an operator may have hidden it. A browser keeps it as long. */
const SHOWN_FOR_MS = 600_000

/** What there is to show of an inscription. */
export type Content =
  | { kind: 'text'; text: string }
  | { kind: 'image' | 'svg' | 'audio' | 'video'; url: string }
  | { kind: 'refused'; words: string }

const contentUrl = (inscriptionId: string): string =>
  `/api/market/inscriptions/${encodeURIComponent(inscriptionId)}/content`

/** Does the service show what is sold in any market? Undefined: that is not known yet. */
export const useShowsContent = (): boolean | undefined =>
  useCatalog().data?.some(({ capabilities }) => capabilities.mediaResolution)

/**
 * Reads it once for all who show it; for media that is what fills the browser's cache, which the
 * element then reads. Undefined: not yet, or never, since the service shows none.
 */
export function useContent(inscriptionId: string, isWanted = true): Content | undefined {
  const showsContent = useShowsContent()
  const { data, error } = useQuery({
    queryKey: ['content', inscriptionId],
    queryFn: ({ signal }) => readContent(inscriptionId, signal),
    enabled: showsContent === true && isWanted,
    staleTime: SHOWN_FOR_MS,
    refetchInterval: SHOWN_FOR_MS,
    refetchOnWindowFocus: false,
  })
  return data ?? (error ? { kind: 'refused', words: 'It cannot be loaded now.' } : undefined)
}

async function readContent(inscriptionId: string, signal: AbortSignal): Promise<Content> {
  const url = contentUrl(inscriptionId)
  const answer = await fetch(url, { signal })
  if (answer.status === 404) return refusalIn(await answer.json())
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
  const type = answer.headers.get('content-type') ?? ''
  const kind = kindOf(type)
  if (kind === 'text') return { kind, text: await answer.text() }
  await answer.arrayBuffer()
  return kind === null ? { kind: 'refused', words: 'Not shown here.' } : { kind, url }
}

type Kind = Exclude<Content['kind'], 'refused'>

function kindOf(type: string): Kind | null {
  if (type.startsWith('text/plain')) return 'text'
  if (type === 'image/svg+xml') return 'svg'
  const [kind = ''] = type.split('/')
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : null
}

/** A refusal of the service as a person reads it: "HTML, 2 048 bytes: this type is not shown here". */
export function refusalIn(said: unknown): Content {
  const field = (name: string): unknown =>
    typeof said === 'object' && said !== null ? Reflect.get(said, name) : undefined
  const [code, message] = [field('code'), field('message')]
  if (code === 'ORDER_HIDDEN') return refused('Hidden by an operator of this service.')
  if (code !== 'CONTENT_NOT_SHOWN' || typeof message !== 'string')
    return refused('Nothing to show.')
  const named = message.replace(/^(?:text\/html|application\/xhtml\+xml)\b/, 'HTML')
  return refused(`${named.replace(/\d{4,}/g, groupedSats)}.`)
}

const refused = (words: string): Content => ({ kind: 'refused', words })
