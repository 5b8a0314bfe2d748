import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/**
 * A link to another page begins at its top, and puts the focus on it, so that a screen reader reads it. Going
 * back is the browser's own, and so is the place on a page whose query alone changes.
 */
export function useArrival(main: RefObject<HTMLElement>): void {
  useEffect(() => {
    let before = location.pathname
    const arrive = () => {
      const now = location.pathname
      if (now === before) return
      before = now
      scrollTo(0, 0)
      main.current?.focus({ preventScroll: true })
    }
    const note = () => {
      before = location.pathname
    }
    // The router says so of each of its links.
    addEventListener('pushState', arrive)
    addEventListener('popstate', note)
    return () => {
      removeEventListener('pushState', arrive)
      removeEventListener('popstate', note)
    }
  }, [main])
}
