import { useEffect } from 'preact/hooks'
import { useLocation } from 'wouter-preact'

/** `/` leads to the page that finds things, from anywhere but a field. */
export function useSlash(): void {
  const [, navigate] = useLocation()
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input,select,textarea')
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      navigate('/console/find')
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [navigate])
}
