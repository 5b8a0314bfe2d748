import { describe, expect, test } from 'vitest'
import type { IdempotencyBounds, IdempotencyStore } from '../../src/ports/views/idempotency.ts'

export interface OpenedIdempotency {
  store: IdempotencyStore
  /** The same store by another process, as after a crash; `store` is not used any longer. */
  reopen(): Promise<IdempotencyStore>
  close(): Promise<void>
}

const NOW = Date.UTC(2030, 0, 1)
const DAY_MS = 24 * 3_600_000
const answer = { statusCode: 201, headers: { 'content-type': 'application/json' }, body: '{"a":1}' }

/** What every idempotency store does. `open` gives an empty one. */
export function idempotencyContract(
  name: string,
  open: (bounds?: IdempotencyBounds) => Promise<OpenedIdempotency>,
): void {
  const withStore =
    (run: (opened: OpenedIdempotency) => Promise<void>, bounds?: IdempotencyBounds) => async () => {
      const opened = await open(bounds)
      try {
        await run(opened)
      } finally {
        await opened.close()
      }
    }

  describe(`IdempotencyStore/${name}`, () => {
    test(
      'the first claim is new, a concurrent one in use, a later one the same answer',
      withStore(async ({ store }) => {
        expect(await store.begin('s', 'c', 'h', NOW)).toEqual({ status: 'new' })
        expect(await store.begin('s', 'c', 'h', NOW)).toEqual({ status: 'in-use' })
        await store.keep('s', answer, NOW)
        expect(await store.begin('s', 'c', 'h', NOW)).toEqual({ status: 'replay', answer })
      }),
    )

    test(
      'of simultaneous claims one is new',
      withStore(async ({ store }) => {
        const begun = await Promise.all(
          Array.from({ length: 8 }, () => store.begin('s', 'c', 'h', NOW)),
        )
        expect(begun.filter(({ status }) => status === 'new')).toHaveLength(1)
        expect(begun.filter(({ status }) => status === 'in-use')).toHaveLength(7)
      }),
    )

    test(
      'another body under a key is reported, before and after the answer',
      withStore(async ({ store }) => {
        await store.begin('s', 'c', 'h', NOW)
        expect(await store.begin('s', 'c', 'other', NOW)).toEqual({ status: 'other-body' })
        await store.keep('s', answer, NOW)
        expect(await store.begin('s', 'c', 'other', NOW)).toEqual({ status: 'other-body' })
      }),
    )

    test(
      'a released claim and an answer above 8 KiB leave nothing',
      withStore(async ({ store }) => {
        await store.begin('s', 'c', 'h', NOW)
        await store.release('s')
        expect(await store.begin('s', 'c', 'other', NOW)).toEqual({ status: 'new' })
        await store.keep('s', { ...answer, body: 'é'.repeat(4 * 1_024 + 1) }, NOW)
        expect(await store.begin('s', 'c', 'h', NOW)).toEqual({ status: 'new' })
        await store.keep('s', { ...answer, body: 'é'.repeat(4 * 1_024) }, NOW)
        expect((await store.begin('s', 'c', 'h', NOW)).status).toBe('replay')
      }),
    )

    test(
      'a release after the answer was stored does not lose it',
      withStore(async ({ store }) => {
        await store.begin('s', 'c', 'h', NOW)
        await store.keep('s', answer, NOW)
        await store.release('s')
        expect((await store.begin('s', 'c', 'h', NOW)).status).toBe('replay')
      }),
    )

    test(
      'answers are kept for 24 hours and survive a restart',
      withStore(async (opened) => {
        await opened.store.begin('s', 'c', 'h', NOW)
        await opened.store.keep('s', answer, NOW)
        const store = await opened.reopen()
        expect(await store.begin('s', 'c', 'h', NOW + DAY_MS - 1)).toEqual({
          status: 'replay',
          answer,
        })
        expect(await store.begin('s', 'c', 'h', NOW + DAY_MS)).toEqual({ status: 'new' })
      }),
    )

    test(
      'the claim of a dead process is free within a minute',
      withStore(async (opened) => {
        await opened.store.begin('s', 'c', 'h', NOW)
        const store = await opened.reopen()
        expect(await store.begin('s', 'c', 'h', NOW + 60_000)).toEqual({ status: 'new' })
      }),
    )

    test(
      'for all clients no more than the limit are stored, counted after a restart as well',
      withStore(
        async (opened) => {
          const used = async (store: IdempotencyStore, n: number) => {
            expect(await store.begin(`key ${n}`, `client ${n}`, 'h', NOW + n)).toEqual({
              status: 'new',
            })
            await store.keep(`key ${n}`, answer, NOW + n)
          }
          for (let n = 0; n < 3; n += 1) await used(opened.store, n)
          const store = await opened.reopen()
          await used(store, 3)
          const later = NOW + 1_000
          for (const n of [1, 2, 3])
            expect((await store.begin(`key ${n}`, `client ${n}`, 'h', later)).status).toBe('replay')
          expect((await store.begin('key 0', 'client 0', 'h', later)).status).toBe('new')
          expect((await store.begin('key 1', 'client 1', 'h', later)).status).toBe('new')
        },
        { perClient: 2, inAll: 3 },
      ),
    )

    test(
      '128 answers are stored for a client: the oldest makes room, and no request is refused',
      withStore(async ({ store }) => {
        const used = async (key: string, client: string, at: number) => {
          expect(await store.begin(key, client, 'h', at)).toEqual({ status: 'new' })
          await store.keep(key, answer, at)
        }
        await used('of another', 'other', NOW)
        for (let n = 0; n < 128; n += 1) await used(`key ${n}`, 'greedy', NOW + n)
        const later = NOW + 1_000
        expect((await store.begin('key 0', 'greedy', 'h', later)).status).toBe('replay')
        await used('one more', 'greedy', later)
        const statuses = []
        for (const key of ['key 1', 'key 127', 'one more'])
          statuses.push((await store.begin(key, 'greedy', 'h', later)).status)
        expect(statuses).toEqual(['replay', 'replay', 'replay'])
        expect((await store.begin('of another', 'other', 'h', later)).status).toBe('replay')
        expect((await store.begin('key 0', 'greedy', 'h', later)).status).toBe('new')
      }),
    )
  })
}
