import { type FeedStore, REMEMBERED_ITEMS } from '../../../ports/feeds/feed-store.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

const FORGOTTEN_AT_ONCE = 100
const LAST_PLACE = Number.MAX_SAFE_INTEGER

/** What the intake remembers, in tables of an LMDB environment; closed by its opener. */
export function openFeedStore(store: LmdbStore, remembered = REMEMBERED_ITEMS): FeedStore {
  const { cursors, places, order } = store.opening(() => ({
    cursors: store.table<number>('intake.cursors'),
    /** Each item with its place in the order of remembering, and the reverse. */
    places: store.table<number, [source: string, id: string]>('intake.items'),
    order: store.table<string, [source: string, place: number]>('intake.order'),
  }))

  function forgetOldest(source: string, next: number): void {
    const end: [string, number] = [source, Math.max(0, next - remembered)]
    const old = order.getRange({ start: [source, 0], end, limit: FORGOTTEN_AT_ONCE })
    for (const { key, value } of [...old]) {
      order.removeSync(key)
      places.removeSync([source, value])
    }
  }

  function nextPlace(source: string): number {
    // In reverse, `end` is exclusive.
    const range = { start: [source, LAST_PLACE], end: [source, -1], reverse: true, limit: 1 }
    const [last] = order.getKeys(range)
    return last === undefined ? 0 : last[1] + 1
  }

  return {
    cursor: async (url) => cursors.get(url) ?? null,
    saveCursor: (url, cursor) => store.write(() => cursors.putSync(url, cursor)).then(() => {}),
    knows: async (source, id) => places.doesExist([source, id]),
    remember: (source, id) =>
      store.write(() => {
        if (places.doesExist([source, id])) return
        const place = nextPlace(source)
        places.putSync([source, id], place)
        order.putSync([source, place], id)
        forgetOldest(source, place + 1)
      }),
  }
}
