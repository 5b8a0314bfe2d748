import { useSyncExternalStore } from 'preact/compat'
import { useEffect } from 'preact/hooks'

const SITE = 'PSBT Market'

/** Empty: no page has said its own yet. */
let page = ''
let news = 0
const listeners = new Set<() => void>()

const write = (): void => {
  const title = page === '' ? SITE : `${page} · ${SITE}`
  document.title = news > 0 ? `(${news}) ${title}` : title
}

/** The title of the window; `PageNews` says it when the page changes. */
export function usePageTitle(of: string): void {
  useEffect(() => {
    page = of
    write()
    for (const listener of listeners) listener()
  }, [of])
}

/** What the page in front is called. */
export const usePageName = (): string =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => page,
  )

/** How much happened that was not looked at yet: before the title, as on a tab in the background. */
export function setTitleBadge(count: number): void {
  news = count
  write()
}
