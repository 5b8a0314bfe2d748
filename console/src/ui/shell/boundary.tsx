import type { ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Trouble } from '../awaited/trouble.tsx'

const NOT_LOADED = new Error(
  'This page could not be loaded: the service is unavailable, or of another version.',
)

/**
 * Replaces a page that fails: its files are gone if the service was replaced since the first was
 * loaded. Only a new document knows the names of the new ones.
 */
export function Boundary({ children }: { children: ComponentChildren }): ComponentChildren {
  const [error, reset] = useErrorBoundary()
  const [place] = useLocation()
  // Another page may still work.
  useEffect(() => reset(), [place])
  return error ? <Trouble error={NOT_LOADED} again={() => location.reload()} /> : children
}
