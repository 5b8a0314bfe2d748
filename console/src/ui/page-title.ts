import { useEffect } from 'preact/hooks'

/** The title of the window, which screen readers say when the page changes. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Market`
  }, [title])
}
