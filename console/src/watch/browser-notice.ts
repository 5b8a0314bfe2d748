import { keptWord } from '../api/kept.ts'
import type { News } from './news.ts'

/** Whether the browser itself says what happened while the page is in the background. */
export const browserNotices = keptWord('market.notices', ['off', 'on'])

export const canNotify = (): boolean => typeof Notification === 'function'

/** Asks the person, who must have clicked; false: the browser refuses. */
export async function allowNotices(): Promise<boolean> {
  const isAllowed = (await Notification.requestPermission()) === 'granted'
  if (isAllowed) browserNotices.write('on')
  return isAllowed
}

export function notifyOf({ orderId, words }: News): void {
  const isWanted = browserNotices.read() === 'on' && document.visibilityState === 'hidden'
  if (!isWanted || !canNotify() || Notification.permission !== 'granted') return
  try {
    new Notification('PSBT Market', { body: words, tag: orderId })
  } catch {
    // Some browsers of phones have the name alone: the page shows it.
  }
}
