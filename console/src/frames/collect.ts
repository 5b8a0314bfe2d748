import { bbqrCollector } from './bbqr.ts'
import type { Frames } from './frames.ts'
import { urCollector } from './ur.ts'

/** PSBT, and the final transaction that some devices give back. */
const BBQR_TYPES = ['P', 'T']
const UR_TYPES = ['crypto-psbt', 'psbt']
const MAX_CHARACTERS = 8_000

/** Whatever a wallet shows: BBQr, UR, or the whole text in one code. The first frame decides. */
export function anyFrames(): Frames {
  let chosen: Frames | null = null
  return {
    take: async (text) => {
      if (text.length > MAX_CHARACTERS) return { state: 'refused', reason: 'The code is too long.' }
      const isBbqr = text.startsWith('B$')
      const isUr = /^ur:/i.test(text)
      if (!isBbqr && !isUr) return { state: 'done', bytes: new TextEncoder().encode(text.trim()) }
      chosen ??= isBbqr ? bbqrCollector(BBQR_TYPES) : urCollector(UR_TYPES)
      return chosen.take(text)
    },
  }
}
