import { useEffect } from 'preact/hooks'

/** The title of the window, which screen readers read when the page changes. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · PSBT Market`
  }, [title])
}
