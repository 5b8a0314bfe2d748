import type { ComponentChildren } from 'preact'
import { useSettings } from '../api/settings.ts'

/** What an explorer has a page of: the paths that mempool.space, its peers and ord share. */
export type Explored = 'tx' | 'address' | 'block' | 'inscription'

/** A link to the explorer that the operator named; without one, nothing. */
export function ExplorerLink({
  of,
  id,
  children,
}: {
  of: Explored
  id: string
  children: ComponentChildren
}) {
  const { explorerUrl, assetExplorerUrl } = useSettings()
  const base = of === 'inscription' ? assetExplorerUrl : explorerUrl
  if (base === undefined) return null
  return (
    <a href={`${base}/${of}/${encodeURIComponent(id)}`} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
