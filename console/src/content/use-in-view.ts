import { useEffect, useRef, useState } from 'preact/hooks'

/** How far outside the visible part an element is loaded already. */
const NEAR = '200px'

/** Has the element been near the visible part of the page? Where that cannot be observed: yes. */
export function useInView<E extends Element>() {
  const element = useRef<E>(null)
  const [wasInView, setInView] = useState(typeof IntersectionObserver === 'undefined')
  useEffect(() => {
    const observed = element.current
    if (wasInView || !observed) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setInView(true),
      { rootMargin: NEAR },
    )
    observer.observe(observed)
    return () => observer.disconnect()
  }, [wasInView])
  return { element, wasInView }
}
