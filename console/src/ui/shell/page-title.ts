import { useEffect } from 'preact/hooks'

let title = 'PSBT Market'
let news = 0

const write = (): void => {
  document.title = news > 0 ? `(${news}) ${title}` : title
}

/** The title of the window, which screen readers read when the page changes. */
export function usePageTitle(of: string): void {
  useEffect(() => {
    title = `${of} · PSBT Market`
    write()
  }, [of])
}

/** How much happened that was not looked at yet: before the title, as on a tab in the background. */
export function setTitleBadge(count: number): void {
  news = count
  write()
}
