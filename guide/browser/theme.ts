import {
  applyTheme,
  keepTheme,
  readTheme,
  THEME_ICONS,
  THEME_NAMES,
  themeAfter,
} from '../../console/src/ui/shell/theme.ts'

/**
 * The theme that the console stored, before the page is drawn, so that it never flashes in the
 * other one; and a button that changes it.
 */
export function offerTheme(): void {
  applyTheme()
  document.addEventListener('DOMContentLoaded', () => {
    const button = document.querySelector<HTMLButtonElement>('.theme')
    if (button === null) return
    let theme = readTheme()
    const show = () => {
      const label = `Theme: ${THEME_NAMES[theme]}`
      button.querySelector('path')?.setAttribute('d', THEME_ICONS[theme])
      button.setAttribute('aria-label', label)
      button.title = label
    }
    button.addEventListener('click', () => {
      theme = themeAfter(theme)
      keepTheme(theme)
      show()
    })
    show()
    button.hidden = false
  })
}
