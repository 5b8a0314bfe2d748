import type { StreamChange } from 'psbt-market-client'

type Listener = (change: StreamChange) => void

const listeners = new Set<Listener>()

/** Calls with each change that a page's own stream brings, until the returned function is called. */
export function onStreamedChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function announceChange(change: StreamChange): void {
  for (const listener of listeners) listener(change)
}
