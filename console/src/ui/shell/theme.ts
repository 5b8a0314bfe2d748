import { store, stored } from '../../api/stored.ts'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'market.theme'
const THEMES: readonly Theme[] = ['system', 'light', 'dark']

export const THEME_NAMES: Record<Theme, string> = {
  system: 'System',
  light: 'Light',
  dark: 'Dark',
}

/** Half a disc, a sun, a moon: a path in 24 by 24. */
export const THEME_ICONS: Record<Theme, string> = {
  system: 'M12 4a8 8 0 1 0 .01 0M12 4v16M12 8h5M12 12h7.5M12 16h5',
  light:
    'M12 7.5a4.5 4.5 0 1 0 .01 0M12 1.5v2M12 20.5v2M1.5 12h2M20.5 12h2M4.6 4.6L6 6M18 18l1.4 1.4M4.6 19.4L6 18M18 6l1.4-1.4',
  dark: 'M19.5 14.5A8 8 0 1 1 9.5 4.5a6.5 6.5 0 0 0 10 10z',
}

/** A browser may store nothing for this page: then the system's theme is used. */
export function readTheme(): Theme {
  const kept = stored(KEY)
  return THEMES.find((theme) => theme === kept) ?? 'system'
}

export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function keepTheme(theme: Theme): void {
  applyTheme(theme)
  store(KEY, theme)
}

export const themeAfter = (theme: Theme): Theme =>
  THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
