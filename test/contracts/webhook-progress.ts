import { describe, expect, test } from 'vitest'
import type { WebhookProgress } from '../../src/ports/webhooks/webhook-progress.ts'
import type { DeliveryProgress } from '../../src/schemas/webhooks/webhook-records.ts'

export interface OpenedWebhookProgress {
  store: WebhookProgress
  /** The same store by another process; `store` is not used any longer. */
  reopen(): Promise<WebhookProgress>
  close(): Promise<void>
}

const SHOP = { name: 'shop', generation: 1 }
const AT = '2030-01-01T00:00:00.000Z'
const progress = (version: number, next: number): DeliveryProgress => ({
  version,
  next,
  failing: { since: AT, attempts: 2, lastAt: AT, retryAt: AT, reason: 'HTTP 500' },
  dead: [{ partition: 3, offset: 9, orderId: 'ab', seq: 1, at: AT, reason: 'é { }' }],
  died: 1,
})

/** What every store of progress does. `open` gives an empty one. */
export function webhookProgressContract(
  name: string,
  open: () => Promise<OpenedWebhookProgress>,
): void {
  const withStore = (run: (opened: OpenedWebhookProgress) => Promise<void>) => async () => {
    const opened = await open()
    try {
      await run(opened)
    } finally {
      await opened.close()
    }
  }

  describe(`WebhookProgress/${name}`, () => {
    test(
      'is read as it was saved, by partition, also after a restart',
      withStore(async ({ store, reopen }) => {
        expect(await store.read(SHOP)).toEqual(new Map())
        expect(await store.save(SHOP, 3, progress(1, 10))).toBe(true)
        expect(await store.save(SHOP, 11, progress(1, 20))).toBe(true)
        expect(await store.save(SHOP, 3, progress(2, 30))).toBe(true)
        const again = await reopen()
        expect(await again.read(SHOP)).toEqual(
          new Map([
            [3, progress(2, 30)],
            [11, progress(1, 20)],
          ]),
        )
      }),
    )

    test(
      'is saved only over the version before its own',
      withStore(async ({ store }) => {
        expect(await store.save(SHOP, 0, progress(2, 1))).toBe(false)
        expect(await store.save(SHOP, 0, progress(1, 1))).toBe(true)
        expect(await store.save(SHOP, 0, progress(1, 2))).toBe(false)
        expect(await store.save(SHOP, 0, progress(3, 2))).toBe(false)
        const racing = [7, 8, 9].map((next) => store.save(SHOP, 0, progress(2, next)))
        expect((await Promise.all(racing)).filter((isSaved) => isSaved)).toHaveLength(1)
        expect((await store.read(SHOP)).get(0)?.version).toBe(2)
      }),
    )

    test(
      'is removed for one endpoint, and for no other, nor for a later one of its name',
      withStore(async ({ store }) => {
        const others = [
          { name: 'shop', generation: 2 },
          { name: 'shop-1', generation: 1 },
          { name: 'sho', generation: 1 },
        ]
        for (const one of [SHOP, ...others]) await store.save(one, 5, progress(1, 1))
        await store.forget(SHOP)
        await store.forget(SHOP)
        expect((await store.read(SHOP)).size).toBe(0)
        for (const one of others) expect((await store.read(one)).size).toBe(1)
        // A sender that does not know of it yet.
        expect(await store.save(SHOP, 5, progress(2, 2))).toBe(false)
      }),
    )
  })
}
