import { describe, expect, test } from 'vitest'
import type { PairingStore } from '../../src/ports/folds/pairing-store.ts'
import { toTxid } from '../support/ids.ts'

export interface OpenedPairingStore {
  store: PairingStore
  close(): Promise<void>
}

/** What every store of the pairing index does. `open` gives an empty one. */
export function pairingStoreContract(name: string, open: () => Promise<OpenedPairingStore>): void {
  const withStore = (run: (store: PairingStore) => Promise<void>) => async () => {
    const { store, close } = await open()
    try {
      await run(store)
    } finally {
      await close()
    }
  }
  const fill = (store: PairingStore, keys: readonly string[]) =>
    store.write((tables) => {
      for (const key of keys) tables.rows.put(key, `of ${key}`)
    })
  const keysOf = (store: PairingStore) =>
    store.read(({ rows }) => [...rows.keys({ from: '', below: '~' })])

  describe(`PairingStore/${name}`, () => {
    test(
      'what is put is found, what is removed is not, and tables are separate',
      withStore(async (store) => {
        await store.write((tables) => {
          tables.rows.put('a', 'one')
          tables.rows.put('b', '')
          tables.settings.put('a', SETTINGS)
          tables.undo.put(7, { objects: [], carriers: [], txids: [toTxid('x')] })
        })
        await store.write((tables) => {
          tables.rows.remove('a')
          tables.rows.remove('never there')
        })
        expect(store.read(({ rows }) => [rows.get('a'), rows.get('b')])).toEqual([undefined, ''])
        expect(store.read(({ settings }) => settings.get('a'))).toEqual(SETTINGS)
        expect(store.read(({ undo }) => undo.get(7)?.txids)).toEqual(['x'])
        expect(store.read(({ checkpoints }) => checkpoints.get(7))).toBeUndefined()
      }),
    )

    test(
      'a write sees its own puts and removes, in look-ups and in ranges',
      withStore(async (store) => {
        await fill(store, ['a', 'b'])
        const seen = await store.write(({ rows }) => {
          rows.put('c', 'new')
          rows.remove('a')
          return [rows.get('a'), rows.get('c'), ...rows.keys({ from: '', below: '~' })]
        })
        expect(seen).toEqual([undefined, 'new', 'b', 'c'])
      }),
    )

    test(
      'a write that throws leaves nothing behind',
      withStore(async (store) => {
        await fill(store, ['a'])
        const failing = store.write(({ rows, settings }) => {
          rows.put('b', '')
          rows.remove('a')
          settings.put('settings', SETTINGS)
          throw new Error('no')
        })
        await expect(failing).rejects.toThrow('no')
        expect(keysOf(store)).toEqual(['a'])
        expect(store.read(({ settings }) => settings.get('settings'))).toBeUndefined()
      }),
    )

    test(
      'a read sees a finished write in the same turn',
      withStore(async (store) => {
        expect(keysOf(store)).toEqual([])
        const seen = store.write(({ rows }) => rows.put('a', '')).then(() => keysOf(store))
        keysOf(store)
        expect(await seen).toEqual(['a'])
      }),
    )

    test.each([
      ['from a key on, which is in it', { from: 'b', below: '~' }, ['b', 'bb', 'c', 'd']],
      ['to a key, which is not in it', { from: '', below: 'c' }, ['a', 'b', 'bb']],
      ['between missing keys', { from: 'aa', below: 'cc' }, ['b', 'bb', 'c']],
      ['of at most so many', { from: '', below: '~', limit: 2 }, ['a', 'b']],
      ['from the end, the same keys', { from: 'b', below: 'd', reverse: true }, ['c', 'bb', 'b']],
      [
        'from the end, between missing keys',
        { from: 'aa', below: 'cc', reverse: true },
        ['c', 'bb', 'b'],
      ],
      [
        'from the end, at most so many',
        { from: '', below: '~', reverse: true, limit: 3 },
        ['d', 'c', 'bb'],
      ],
      ['of nothing', { from: 'x', below: 'y' }, []],
      ['of nothing, from the end', { from: 'x', below: 'y', reverse: true }, []],
    ])('reads a range %s', (_, range, keys) =>
      withStore(async (store) => {
        await fill(store, ['d', 'bb', 'a', 'c', 'b'])
        const entries = keys.map((key) => ({ key, value: `of ${key}` }))
        expect(store.read(({ rows }) => [...rows.keys(range)])).toEqual(keys)
        expect(store.read(({ rows }) => [...rows.range(range)])).toEqual(entries)
      })(),
    )

    test(
      'numbers sort as numbers, and a half-read range does no harm',
      withStore(async (store) => {
        await store.write(({ undo }) => {
          for (const height of [300, 2, 70_000, 10]) {
            undo.put(height, { objects: [], carriers: [], txids: [] })
          }
        })
        const all = { from: 0, below: 2 ** 32 }
        const first = store.read(({ undo }) => {
          for (const key of undo.keys(all)) return key
          return null
        })
        expect(first).toBe(2)
        expect(store.read(({ undo }) => [...undo.keys(all)])).toEqual([2, 10, 300, 70_000])
        const newest = { ...all, reverse: true, limit: 2 }
        expect(store.read(({ undo }) => [...undo.keys(newest)])).toEqual([70_000, 300])
      }),
    )

    test(
      'simultaneous writes are done one after another',
      withStore(async (store) => {
        const counts = await Promise.all(
          Array.from({ length: 5 }, () =>
            store.write(({ rows }) => {
              const count = Number(rows.get('count') ?? 0) + 1
              rows.put('count', String(count))
              return count
            }),
          ),
        )
        expect(counts).toEqual([1, 2, 3, 4, 5])
      }),
    )
  })
}

const SETTINGS = { deployment: 'one', network: 'regtest', startHeight: 5, magic: 'PAIR' } as const
