import { useSyncExternalStore } from 'preact/compat'
import type { Connection } from './connection.ts'

/** All that the page keeps of a wallet beyond its own life. */
const NAME = 'wallet'

let connection: Connection | null = null
let endOfWatch = () => {}
const listeners = new Set<() => void>()

/** The wallet in use, on all pages; null before one is connected, and after its account changed. */
export const useConnection = (): Connection | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => connection,
  )

export function setConnection(next: Connection | null): void {
  endOfWatch()
  connection = next
  endOfWatch = next === null ? () => {} : next.wallet.onChange(() => setConnection(null))
  if (next) localStorage.setItem(NAME, next.wallet.name)
  for (const listener of listeners) listener()
}

/** The wallet that was used last: it is offered first. */
export const lastWallet = (): string | null => localStorage.getItem(NAME)
