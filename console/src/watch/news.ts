import { useSyncExternalStore } from 'preact/compat'
import type { StreamChange } from 'psbt-market-client'
import { setTitleBadge } from '../ui/shell/page-title.ts'
import { shortened } from '../ui/values/identifier.tsx'
import { titleOf } from '../ui/values/order-title.ts'
import { stateWords } from '../ui/values/state-badge.tsx'
import { type Seen, seenOf, watchList } from './watch-list.ts'
import { whatChanged } from './what-changed.ts'

/** What happened to a watched order, and was not looked at yet. */
export interface News {
  orderId: string
  now: Seen
  words: string
}

/** One of each order, the newest first. */
let news: readonly News[] = []
const listeners = new Set<() => void>()

export const useNews = (): readonly News[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => news,
  )

/** The news in a change of the stream; null: its order is not watched, or looks as it did. */
export function newsIn({ orderId, order, entry }: StreamChange): News | null {
  const watched = watchList.read().find(({ id }) => id === orderId)
  if (!watched) return null
  const before = news.find((one) => one.orderId === orderId)?.now ?? watched.seen
  const state = order?.state ?? entry?.toState
  if (state === undefined) return null
  const now = order ? seenOf(order) : { state, priceSats: before?.priceSats ?? null }
  const changed = whatChanged(before, now)
  if (before === null ? entry === null : changed === null) return null
  const name = order ? titleOf(order) : `Order ${shortened(orderId)}`
  const words = `${name} is ${stateWords(state)}${changed === null ? '' : `; it ${changed}`}.`
  return { orderId, now, words }
}

export function addNews(one: News): void {
  setNews([one, ...news.filter(({ orderId }) => orderId !== one.orderId)])
}

/** They were looked at, or put away. */
export function clearNews(): void {
  if (news.length > 0) setNews([])
}

function setNews(next: readonly News[]): void {
  news = next
  setTitleBadge(news.length)
  for (const listener of listeners) listener()
}
