import type { OrderState, OrderSummary } from 'psbt-market-client'
import { type Kept, kept, useKept } from '../api/kept.ts'
import { STATES } from '../ui/values/state-badge.tsx'

/** As many as are kept: some 30 kB of the browser's store. */
export const MAX_WATCHED = 200

/** What a person saw of an order. */
export interface Seen {
  state: OrderState
  priceSats: string | null
}

export interface Watched {
  id: string
  /** When it was looked at last; null: never since it is watched. */
  seen: Seen | null
}

const ID = /^[0-9a-f]{64}$/
const SATS = /^[0-9]{1,16}$/
const MAX_STORED = 100_000

/** What the browser kept: another page of this origin, or a person, may have written anything. */
export const watchList: Kept<readonly Watched[]> = kept<readonly Watched[]>('market.watched', {
  fromText: watchedIn,
  toText: JSON.stringify,
})

export const useWatchList = (): readonly Watched[] => useKept(watchList)

export const isWatched = (list: readonly Watched[], id: string): boolean =>
  list.some((one) => one.id === id)

export const seenOf = ({ state, quotedPriceSats }: OrderSummary): Seen => ({
  state,
  priceSats: quotedPriceSats ?? null,
})

/** Puts an order at the head of the list, or takes it off; a full list takes no more. */
export function toggleWatch(id: string, seen: Seen | null): void {
  const list = watchList.read()
  if (isWatched(list, id)) watchList.write(list.filter((one) => one.id !== id))
  else if (list.length < MAX_WATCHED) watchList.write([{ id, seen }, ...list])
}

export function unwatch(ids: ReadonlySet<string>): void {
  watchList.write(watchList.read().filter(({ id }) => !ids.has(id)))
}

/** Orders as they were looked at now. */
export function noteSeen(looked: ReadonlyMap<string, Seen>): void {
  const list = watchList.read()
  if (!list.some(({ id, seen }) => differ(seen, looked.get(id)))) return
  watchList.write(list.map((one) => ({ id: one.id, seen: looked.get(one.id) ?? one.seen })))
}

const differ = (before: Seen | null, now: Seen | undefined): boolean =>
  now !== undefined && (before?.state !== now.state || before.priceSats !== now.priceSats)

function watchedIn(text: string | null): readonly Watched[] {
  if (text === null || text.length > MAX_STORED) return []
  try {
    const given: unknown = JSON.parse(text)
    if (!Array.isArray(given)) return []
    const found = new Map<string, Watched>()
    for (const one of given.map(watchedOf)) if (one && !found.has(one.id)) found.set(one.id, one)
    return [...found.values()].slice(0, MAX_WATCHED)
  } catch {
    return []
  }
}

function watchedOf(given: unknown): Watched | null {
  if (!isRecord(given) || typeof given['id'] !== 'string' || !ID.test(given['id'])) return null
  return { id: given['id'], seen: seenIn(given['seen']) }
}

function seenIn(given: unknown): Seen | null {
  if (!isRecord(given)) return null
  const state = STATES.find((one) => one === given['state'])
  const price = given['priceSats']
  if (!state) return null
  return { state, priceSats: typeof price === 'string' && SATS.test(price) ? price : null }
}

const isRecord = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null
