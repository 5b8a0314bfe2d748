import { applyTheme, keepTheme, readTheme, themeAfter } from '../../console/src/ui/theme.ts'

const LABELS = { system: 'System', light: 'Light', dark: 'Dark' }

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
      button.textContent = LABELS[theme]
      button.setAttribute('aria-label', `Theme: ${LABELS[theme]}`)
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
