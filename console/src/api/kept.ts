import { useSyncExternalStore } from 'preact/compat'
import { store, stored } from './stored.ts'

/** A value that the browser keeps for these pages, in all its tabs. */
export interface Kept<T> {
  read(): T
  write(value: T): void
  subscribe(listener: () => void): () => void
}

interface StoredForm<T> {
  /** Of what is stored, by whatever wrote it; null: nothing is. It must not throw. */
  fromText(text: string | null): T
  toText(value: T): string
}

/** Where a browser stores nothing for the page, a value holds for this visit. */
export function kept<T>(key: string, { fromText, toText }: StoredForm<T>): Kept<T> {
  const listeners = new Set<() => void>()
  let value: { of: T } | null = null
  const tell = () => {
    for (const listener of listeners) listener()
  }
  addEventListener('storage', (event) => {
    if (event.key !== key && event.key !== null) return
    value = null
    tell()
  })
  return {
    read: () => {
      value ??= { of: fromText(stored(key)) }
      return value.of
    },
    write: (next) => {
      value = { of: next }
      store(key, toText(next))
      tell()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** One of a few words; the first unless another is stored. */
export const keptWord = <T extends string>(key: string, words: readonly [T, ...T[]]): Kept<T> =>
  kept(key, {
    fromText: (text) => words.find((word) => word === text) ?? words[0],
    toText: (word) => word,
  })

export const useKept = <T>({ subscribe, read }: Kept<T>): T => useSyncExternalStore(subscribe, read)
