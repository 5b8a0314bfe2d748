import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { usePageName } from './page-title.ts'

/**
 * To screen readers, the title of the page that a link or a step back led to, once that page is there: of a
 * document that it loads, a browser says it by itself.
 */
export function PageNews() {
  const name = usePageName()
  const [place] = useLocation()
  const first = useRef(place)
  const hasMoved = useRef(false)
  const [said, say] = useState('')
  useEffect(() => {
    if (place !== first.current) hasMoved.current = true
  }, [place])
  useEffect(() => {
    if (hasMoved.current) say(name)
  }, [name])
  return (
    <p class="unseen" role="status">
      {said}
    </p>
  )
}
