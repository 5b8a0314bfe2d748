import { describe, expect, test } from 'vitest'
import type { FeedStore } from '../../src/ports/feeds/feed-store.ts'

export interface OpenedFeedStore {
  store: FeedStore
  /** The same store by another process; `store` is not used any longer. */
  reopen(): Promise<FeedStore>
  close(): Promise<void>
}

const EVENTS = 'portable-nostr802'
const OFFERS = 'asset-offers'
const RELAY = 'wss://relay.example/'

/**
 * What every store of the intake does. `open` gives an empty one that remembers this many items.
 */
export function feedStoreContract(
  name: string,
  open: (remembered?: number) => Promise<OpenedFeedStore>,
): void {
  const withStore =
    (run: (opened: OpenedFeedStore) => Promise<void>, remembered?: number) => async () => {
      const opened = await open(remembered)
      try {
        await run(opened)
      } finally {
        await opened.close()
      }
    }

  describe(`FeedStore/${name}`, () => {
    test(
      'a cursor is of one address, and survives a restart',
      withStore(async (opened) => {
        expect(await opened.store.cursor(RELAY)).toBeNull()
        await opened.store.saveCursor(RELAY, 1_700_000_000)
        await opened.store.saveCursor(RELAY, 1_700_000_030)
        await opened.store.saveCursor('wss://other.example/', 0)
        const store = await opened.reopen()
        expect(await store.cursor(RELAY)).toBe(1_700_000_030)
        expect(await store.cursor('wss://other.example/')).toBe(0)
        expect(await store.cursor('wss://third.example/')).toBeNull()
      }),
    )

    test(
      'an item is of one source, and survives a restart',
      withStore(async (opened) => {
        expect(await opened.store.knows(EVENTS, 'a')).toBe(false)
        await opened.store.remember(EVENTS, 'a')
        const store = await opened.reopen()
        expect(await store.knows(EVENTS, 'a')).toBe(true)
        expect(await store.knows(OFFERS, 'a')).toBe(false)
        expect(await store.knows(EVENTS, 'b')).toBe(false)
      }),
    )

    test(
      'beyond its limit the oldest are forgotten, for each source separately',
      withStore(async (opened) => {
        const { store } = opened
        await store.remember(OFFERS, 'offer')
        for (const id of ['a', 'b', 'c', 'd', 'e']) await store.remember(EVENTS, id)
        const known = async (from: FeedStore, ids: string) =>
          (await Promise.all([...ids].map((id) => from.knows(EVENTS, id)))).map(Number).join('')
        expect(await known(store, 'abcde')).toBe('00111')
        expect(await store.knows(OFFERS, 'offer')).toBe(true)
        const again = await opened.reopen()
        await again.remember(EVENTS, 'f')
        expect(await known(again, 'bcdef')).toBe('00111')
      }, 3),
    )

    test(
      'an item remembered again takes no second place',
      withStore(async ({ store }) => {
        await store.remember(EVENTS, 'a')
        for (let n = 0; n < 10; n += 1) await store.remember(EVENTS, 'b')
        await Promise.all(Array.from({ length: 10 }, () => store.remember(EVENTS, 'c')))
        expect(await store.knows(EVENTS, 'a')).toBe(true)
      }, 3),
    )
  })
}
