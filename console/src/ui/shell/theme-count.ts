import { useEffect, useState } from 'preact/hooks'

/** Counts the changes of the theme, by the button or by the system. */
export function useThemeCount(): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const change = () => setCount((before) => before + 1)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', change)
    const button = new MutationObserver(change)
    button.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      dark.removeEventListener('change', change)
      button.disconnect()
    }
  }, [])
  return count
}
