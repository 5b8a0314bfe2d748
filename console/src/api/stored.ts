/** For all tabs and visits, or for this tab alone. */
type Area = 'localStorage' | 'sessionStorage'

/** What the browser has; null: nothing, or it stores nothing for these pages. */
export function stored(key: string, area: Area = 'localStorage'): string | null {
  try {
    return globalThis[area].getItem(key)
  } catch {
    return null
  }
}

/** Where the browser stores nothing, or has no room left, this does nothing. */
export function store(key: string, text: string, area: Area = 'localStorage'): void {
  try {
    globalThis[area].setItem(key, text)
  } catch {
    // What was to be stored holds for this visit.
  }
}
