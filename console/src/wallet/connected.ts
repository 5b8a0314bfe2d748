import { useSyncExternalStore } from 'preact/compat'
import { store, stored } from '../api/stored.ts'
import type { Connection } from './connection.ts'

/** All that the page keeps of a wallet beyond its own life. */
const NAME = 'wallet'

interface Connected {
  connection: Connection | null
  /** Why it ended by itself. */
  ended: string | null
}

let connected: Connected = { connection: null, ended: null }
let endOfWatch = () => {}
const listeners = new Set<() => void>()

/** The wallet in use, on all pages: none before one is connected, and after its account changed. */
export const useConnected = (): Connected =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => connected,
  )

export function setConnection(connection: Connection | null, ended: string | null = null): void {
  endOfWatch()
  connected = { connection, ended }
  endOfWatch = () => {}
  if (connection) {
    const { wallet } = connection
    endOfWatch = wallet.onChange((what) =>
      setConnection(null, `The ${what} of ${wallet.name} changed: connect again.`),
    )
    store(NAME, wallet.name)
  }
  for (const listener of listeners) listener()
}

/** The wallet that was used last: it is offered first. */
export const lastWallet = (): string | null => stored(NAME)
