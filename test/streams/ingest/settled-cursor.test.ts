import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SettledCursor } from '../../../src/streams/ingest/settled-cursor.ts'

type Step = 'tell' | 'reach' | { settle: number }

const steps = fc.array(
  fc.oneof(
    fc.constant<Step>('tell'),
    fc.constant<Step>('reach'),
    fc.nat().map((settle): Step => ({ settle })),
  ),
  { maxLength: 60 },
)

test('a cursor is stored once all before it is settled, in any order, and each only once', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const cursor = new SettledCursor()
      const open: number[] = []
      let told = 0
      const reached: { cursor: number; told: number }[] = []
      let kept = 0
      for (const step of all) {
        if (step === 'tell') {
          open.push(cursor.open())
          told += 1
        } else if (step === 'reach') {
          reached.push({ cursor: reached.length + 1, told })
          cursor.reach(reached.length)
        } else {
          const [place] = open.splice(step.settle % Math.max(1, open.length), 1)
          if (place !== undefined) cursor.settle(place)
        }
        const first = Math.min(...open, Number.POSITIVE_INFINITY)
        const may = reached.findLast((mark) => mark.told < first)?.cursor ?? 0
        expect(cursor.take()).toBe(may > kept ? may : null)
        kept = Math.max(kept, may)
      }
    }),
    { numRuns: 500 },
  )
})
