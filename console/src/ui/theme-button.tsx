import { useState } from 'preact/hooks'
import { keepTheme, readTheme, themeAfter } from './theme.ts'

const LABELS = { system: 'System', light: 'Light', dark: 'Dark' }

export function ThemeButton() {
  const [theme, setTheme] = useState(readTheme)
  const turn = () => {
    const next = themeAfter(theme)
    keepTheme(next)
    setTheme(next)
  }
  return (
    <button type="button" class="plain theme" aria-label={`Theme: ${LABELS[theme]}`} onClick={turn}>
      {LABELS[theme]}
    </button>
  )
}
