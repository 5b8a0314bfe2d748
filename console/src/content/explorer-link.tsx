import type { ComponentChildren } from 'preact'
import { useSettings } from '../api/settings.ts'

/** What an explorer has a page of: the paths that mempool.space, its peers and ord share. */
export type Explored = 'tx' | 'address' | 'block' | 'inscription'

interface Linked {
  of: Explored
  id: string
}

/** A link to the explorer that the operator named, with words or, after a `name`, a sign; without one, nothing. */
export function ExplorerLink({
  of,
  id,
  ...shown
}: Linked & ({ children: ComponentChildren } | { name: string })) {
  const { explorerUrl, assetExplorerUrl } = useSettings()
  const base = of === 'inscription' ? assetExplorerUrl : explorerUrl
  if (base === undefined) return null
  const label = 'name' in shown ? `The ${shown.name} in the explorer` : undefined
  return (
    <a
      href={`${base}/${of}/${encodeURIComponent(id)}`}
      target="_blank"
      rel="noopener noreferrer"
      class={label && 'explorer'}
      aria-label={label}
      title={label}
    >
      {'name' in shown ? '↗' : shown.children}
    </a>
  )
}
