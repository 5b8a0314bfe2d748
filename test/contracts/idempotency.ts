import { describe, expect, test } from 'vitest'
import type { IdempotencyStore } from '../../src/ports/idempotency.ts'

export interface OpenedIdempotency {
  store: IdempotencyStore
  /** The same store by another process, as after a crash; `store` is not used any more. */
  reopen(): Promise<IdempotencyStore>
  close(): Promise<void>
}

const NOW = Date.UTC(2030, 0, 1)
const DAY_MS = 24 * 3_600_000
const answer = { statusCode: 201, headers: { 'content-type': 'application/json' }, body: '{"a":1}' }

/** What every idempotency store keeps. `open` gives an empty one. */
export function idempotencyContract(name: string, open: () => Promise<OpenedIdempotency>): void {
  const withStore = (run: (opened: OpenedIdempotency) => Promise<void>) => async () => {
    const opened = await open()
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
      'of claims that begin at once one is new',
      withStore(async ({ store }) => {
        const begun = await Promise.all(
          Array.from({ length: 8 }, () => store.begin('s', 'c', 'h', NOW)),
        )
        expect(begun.filter(({ status }) => status === 'new')).toHaveLength(1)
        expect(begun.filter(({ status }) => status === 'in-use')).toHaveLength(7)
      }),
    )

    test(
      'another body under a key is told, before and after the answer',
      withStore(async ({ store }) => {
        await store.begin('s', 'c', 'h', NOW)
        expect(await store.begin('s', 'c', 'other', NOW)).toEqual({ status: 'other-body' })
        await store.keep('s', answer, NOW)
        expect(await store.begin('s', 'c', 'other', NOW)).toEqual({ status: 'other-body' })
      }),
    )

    test(
      'a released claim and an answer above 64 KiB leave nothing',
      withStore(async ({ store }) => {
        await store.begin('s', 'c', 'h', NOW)
        await store.release('s')
        expect(await store.begin('s', 'c', 'other', NOW)).toEqual({ status: 'new' })
        await store.keep('s', { ...answer, body: 'é'.repeat(32 * 1_024 + 1) }, NOW)
        expect(await store.begin('s', 'c', 'h', NOW)).toEqual({ status: 'new' })
        await store.keep('s', { ...answer, body: 'é'.repeat(32 * 1_024) }, NOW)
        expect((await store.begin('s', 'c', 'h', NOW)).status).toBe('replay')
      }),
    )

    test(
      'a release after the answer was kept does not lose it',
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
      'the claim of a process that is gone is free within a minute',
      withStore(async (opened) => {
        await opened.store.begin('s', 'c', 'h', NOW)
        const store = await opened.reopen()
        expect(await store.begin('s', 'c', 'h', NOW + 60_000)).toEqual({ status: 'new' })
      }),
    )

    test(
      'a client has at most 1,000 keys; others are not concerned, and old ones make room',
      withStore(async ({ store }) => {
        const keys = Array.from({ length: 1_000 }, (_, n) => `key ${n}`)
        await Promise.all(keys.map((key) => store.begin(key, 'greedy', 'h', NOW)))
        expect(await store.begin('one more', 'greedy', 'h', NOW)).toEqual({ status: 'too-many' })
        expect(await store.begin('one more', 'other', 'h', NOW)).toEqual({ status: 'new' })
        expect(await store.begin('later', 'greedy', 'h', NOW + DAY_MS)).toEqual({ status: 'new' })
      }),
    )
  })
}
