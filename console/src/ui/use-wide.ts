import { useState } from 'preact/hooks'

/** Where the page has two columns (`order.css`). */
const WIDE = '(min-width: 64rem)'

/** Whether there was room for two columns when it was shown: what was opened since stays open. */
export const useWide = (): boolean => useState(() => matchMedia(WIDE).matches)[0]
