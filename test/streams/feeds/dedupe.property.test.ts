import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FeedItem } from '../../../src/ports/feeds/order-feed.ts'
import {
  dedupe,
  type IntakeResult,
  type ItemReader,
  type Judged,
} from '../../../src/streams/feeds/dedupe.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const NEVER = new AbortController().signal

/** What one feed delivers of an item, and how its import goes. */
interface Told {
  id: string
  isForged: boolean
}

const told = fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), isForged: fc.boolean() })
const feeds = fc.array(fc.array(told, { maxLength: 8 }), { minLength: 1, maxLength: 4 })
/** Attempts to store something, which fail. */
const failures = fc.infiniteStream(fc.integer({ min: 0, max: 9 }))

test('whatever feeds deliver concurrently, each valid item is stored once, and no feed passes one that is not stored', async () => {
  await fc.assert(
    fc.asyncProperty(feeds, failures, fc.scheduler(), async (tellings, dice, scheduler) => {
      const known = new Set<string>()
      const stored: string[] = []
      const takeOnce = dedupe({
        store: {
          knows: (_source, id) => scheduler.schedule(Promise.resolve()).then(() => known.has(id)),
          remember: async (_source, id) => {
            await scheduler.schedule(Promise.resolve())
            known.add(id)
          },
        },
        clock: new ManualClock(),
      })
      const read: ItemReader = async (item) => {
        if (item.kind === 'event' && item.event === 'forged') {
          return { outcome: 'invalid_event', isLie: true, isSettled: false }
        }
        const prove = async (): Promise<Judged> => {
          await scheduler.schedule(Promise.resolve())
          if (dice.next().value < 2) throw new Error('the disk is full')
          stored.push(item.id)
          return { outcome: 'imported', isLie: false, isSettled: true }
        }
        return { publisher: 'p', size: 1, prove }
      }
      const tell = async ({ id, isForged }: Told): Promise<void> => {
        const item: FeedItem = { kind: 'event', id, event: isForged ? 'forged' : 'true' }
        for (;;) {
          const taken = await takeOnce('portable-nostr802', item, read)
            .then((looked) => ('settle' in looked ? looked.settle([], NEVER) : looked))
            .catch((): IntakeResult | null => null)
          // A failed feed comes back and delivers it again.
          if (taken === null) continue
          expect(taken.outcome).toBeOneOf(
            isForged ? ['invalid_event', 'duplicate'] : ['imported', 'duplicate'],
          )
          if (!isForged) expect(stored).toContain(id)
          return
        }
      }
      const running = tellings.map(async (items) => {
        for (const item of items) await tell(item)
      })
      await scheduler.waitFor(Promise.all(running))
      const honest = tellings.flat().filter(({ isForged }) => !isForged)
      expect([...stored].sort()).toEqual([...new Set(honest.map(({ id }) => id))].sort())
    }),
    { numRuns: 300 },
  )
})
