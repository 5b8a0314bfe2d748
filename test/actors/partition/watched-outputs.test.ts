import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WatchedOutputs } from '../../../src/actors/partition/watched-outputs.ts'
import type { OutpointText } from '../../../src/schemas/scalars.ts'
import { toOutpointText } from '../../support/ids.ts'
import { hash } from '../../support/orders/evidence.ts'

const MANY = 20_000
const outputs = (name: string, count: number): OutpointText[] =>
  Array.from({ length: count }, (_, n) => toOutpointText(`${hash(`${name} ${n >> 1}`)}:${n & 1}`))

/** Snapshots with these outputs. */
const holding = (...held: OutpointText[]) => {
  const sorted = held.toSorted()
  return {
    watched: (after: OutpointText | null, limit: number) =>
      sorted.filter((one) => one > (after ?? '')).slice(0, limit),
  }
}
const atOnce = async () => {}

describe('the outputs of open orders', () => {
  test('are all found, from the snapshots and added since; of others hardly one', async () => {
    const [kept, added, others] = [
      outputs('kept', 3_000),
      outputs('added', MANY),
      outputs('x', MANY),
    ]
    const watched = new WatchedOutputs(holding(...kept))
    await watched.fill(atOnce)
    for (const outpoint of added) watched.add(outpoint)
    expect([...kept, ...added].filter((outpoint) => !watched.mayHave(outpoint))).toEqual([])
    expect(others.filter((outpoint) => watched.mayHave(outpoint))).toEqual([])
  })

  test('are found whatever was added before and after a refresh', async () => {
    const drawn = fc.array(fc.nat(MANY), { maxLength: 400 })
    await fc.assert(
      fc.asyncProperty(drawn, drawn, async (before, after) => {
        const known = new Map<number, OutpointText>()
        const outputOf = (n: number) =>
          known.get(n) ?? toOutpointText(`${n.toString(16).padStart(64, '0')}:0`)
        const open = [...new Set(before)].map(outputOf)
        const watched = new WatchedOutputs(holding(...open))
        for (const n of before) watched.add(outputOf(n))
        await watched.refresh(atOnce)
        for (const n of after) watched.add(outputOf(n))
        expect([...open, ...after.map(outputOf)].every((one) => watched.mayHave(one))).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  test('are read again only after many more have come, however few are open', async () => {
    const kept = outputs('kept', 5_400)
    const watched = new WatchedOutputs(holding(...kept))
    await watched.fill(atOnce)
    let pages = 0
    const counted = async () => {
      pages += 1
    }
    for (const outpoint of outputs('come and gone', MANY)) {
      watched.add(outpoint)
      await watched.refresh(counted)
    }
    // Six pages each time, and at least a sixth of the places in between.
    expect(pages).toBeGreaterThan(0)
    expect(pages / 6).toBeLessThanOrEqual(MANY / (16_384 / 6))
  })

  test('that are so no longer are left out once the table has grown, in turns of the event loop', async () => {
    const kept = outputs('kept', 5_000)
    const closed = outputs('closed', MANY)
    const watched = new WatchedOutputs(holding(...kept))
    for (const outpoint of [...kept, ...closed]) watched.add(outpoint)
    expect(closed.every((outpoint) => watched.mayHave(outpoint))).toBe(true)
    let turns = 0
    await watched.refresh(async () => {
      turns += 1
    })
    expect(turns).toBe(5)
    expect(closed.filter((outpoint) => watched.mayHave(outpoint))).toEqual([])
    expect(kept.filter((outpoint) => !watched.mayHave(outpoint))).toEqual([])
    await watched.refresh(async () => {
      turns += 1
    })
    expect(turns, 'nothing has grown since').toBe(5)
  })
})
