import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** The links to all pages: in a row, or on a phone behind a button (`menu.css`). */
export function Menu({ children }: { children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const links = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const close = () => {
      // What has the focus is about to be hidden; a link to another page moves it on.
      if (links.current?.contains(document.activeElement)) button.current?.focus()
      setOpen(false)
    }
    const closeByKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') close()
    }
    // The router says so of each of its links, that of the page itself too.
    addEventListener('pushState', close)
    addEventListener('popstate', close)
    addEventListener('keydown', closeByKey)
    return () => {
      removeEventListener('pushState', close)
      removeEventListener('popstate', close)
      removeEventListener('keydown', closeByKey)
    }
  }, [isOpen])
  return (
    <>
      <button
        ref={button}
        type="button"
        class="plain menu"
        aria-label="Menu"
        aria-expanded={isOpen}
        aria-controls="pages"
        onClick={() => setOpen(!isOpen)}
      >
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d={isOpen ? CROSS : LINES} />
        </svg>
      </button>
      <nav id="pages" aria-label="Pages" data-open={isOpen} ref={links}>
        {children}
      </nav>
    </>
  )
}

const LINES = 'M3 6h18M3 12h18M3 18h18'
const CROSS = 'M5 5l14 14M19 5L5 19'
