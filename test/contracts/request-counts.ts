import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RequestCounts } from '../../src/ports/views/request-counts.ts'

export interface OpenedCounts {
  /** Of two gateways that count together. */
  gateways: readonly [RequestCounts, RequestCounts]
  /** Forgets what was counted under a key. */
  endWindow(key: string): Promise<void>
  close(): Promise<void>
}

/** Keys of three clients, two of them for one limit. */
const KEYS = ['read 192.0.2.1', 'read 192.0.2.2', 'write 192.0.2.3'] as const
const someKey = fc.constantFrom(...KEYS)
const call = fc.record({ key: someKey, isCounted: fc.boolean() })
const turn = fc.record({
  gateway: fc.constantFrom<0 | 1>(0, 1),
  calls: fc.array(call, { maxLength: 12 }),
  endsWindowOf: fc.option(someKey),
})

/** What gateways that count together get. `open` gives a place where nothing was counted. */
export function requestCountsContract(name: string, open: () => Promise<OpenedCounts>): void {
  describe(`RequestCounts/${name}`, () => {
    test('the calls of a turn get the counts that they would get one by one, at either gateway', async () => {
      const { gateways, endWindow, close } = await open()
      await fc.assert(
        fc.asyncProperty(fc.array(turn, { maxLength: 8 }), async (turns) => {
          for (const key of KEYS) await endWindow(key)
          const plain = new Map<string, number>()
          for (const { gateway, calls, endsWindowOf } of turns) {
            const expected = calls.map(({ key, isCounted }) => {
              const current = (plain.get(key) ?? 0) + (isCounted ? 1 : 0)
              plain.set(key, current)
              return current
            })
            const counts = await Promise.all(
              calls.map(({ key, isCounted }) => gateways[gateway].count(key, isCounted)),
            )
            expect(counts.map((count) => count.current)).toEqual(expected)
            for (const { current, ttlMs } of counts) {
              expect(ttlMs > 0 && ttlMs <= 60_000).toBe(current > 0)
            }
            if (endsWindowOf === null) continue
            plain.delete(endsWindowOf)
            await endWindow(endsWindowOf)
          }
        }),
        { numRuns: 60 },
      )
      await close()
    })

    test('a turn of many clients counts each of them', async () => {
      const { gateways, close } = await open()
      const keys = Array.from({ length: 1_500 }, (_, n) => `read client-${n}`)
      const once = await Promise.all(keys.map((key) => gateways[0].count(key, true)))
      expect(once.every((count) => count.current === 1)).toBe(true)
      const twice = await Promise.all(keys.map((key) => gateways[1].count(key, true)))
      expect(twice.every((count) => count.current === 2)).toBe(true)
      await close()
    })
  })
}
