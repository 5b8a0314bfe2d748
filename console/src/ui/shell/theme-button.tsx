import { useState } from 'preact/hooks'
import { keepTheme, readTheme, THEME_ICONS, THEME_NAMES, themeAfter } from './theme.ts'

export function ThemeButton() {
  const [theme, setTheme] = useState(readTheme)
  const turn = () => {
    const next = themeAfter(theme)
    keepTheme(next)
    setTheme(next)
  }
  const label = `Theme: ${THEME_NAMES[theme]}`
  return (
    <button type="button" class="plain theme" aria-label={label} title={label} onClick={turn}>
      <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
        <path d={THEME_ICONS[theme]} />
      </svg>
    </button>
  )
}
