import { describe, expect, test } from 'vitest'
import {
  BusyError,
  connectionRules,
  LANES,
  type LanesOptions,
  openLanes,
} from '../../src/runtime/lanes.ts'

const turn = () => new Promise(setImmediate)

/** Work that runs until the test ends it, by name. */
function open(rules: LanesOptions['rules'], options: Partial<LanesOptions> = {}) {
  const lanes = openLanes({ rules, ...options })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const run = (lane: 0 | 1 | 2, name: string) => {
    const done = lanes.run(lane, () => {
      begun.push(name)
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
    })
    // Work that a test leaves running may fail unnoticed.
    done.catch(() => undefined)
    return done
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await turn()
  }
  return { lanes, begun, run, end }
}

const rules: LanesOptions['rules'] = [
  { atOnce: 3, waiting: 2 },
  { atOnce: 2, waiting: 2 },
  { atOnce: 1, waiting: 2 },
]

describe('lanes', () => {
  test('the first lane goes first, whatever came before it, and each lane in its own order', async () => {
    const { begun, run, end } = open(rules)
    for (const name of ['a', 'b', 'c']) void run(LANES.first, name)
    void run(LANES.later, 'late 1')
    void run(LANES.judgement, 'judged 1')
    void run(LANES.judgement, 'judged 2')
    void run(LANES.first, 'news')
    expect(begun).toEqual(['a', 'b', 'c'])
    await end('a')
    expect(begun.slice(3)).toEqual(['news'])
    for (const name of ['b', 'c']) await end(name)
    expect(begun.slice(4)).toEqual(['judged 1'])
    await end('news')
    expect(begun.slice(5)).toEqual(['judged 2'])
    await end('judged 1')
    await end('judged 2')
    expect(begun.slice(6)).toEqual(['late 1'])
  })

  test('a place is always left for an earlier lane', () => {
    const { begun, run } = open(rules)
    for (let n = 0; n < 2; n += 1) void run(LANES.later, `late ${n}`)
    for (let n = 0; n < 2; n += 1) void run(LANES.judgement, `judged ${n}`)
    void run(LANES.first, 'news')
    expect(begun).toEqual(['late 0', 'judged 0', 'news'])
  })

  test('a call that finds too many waiting is rejected at once; other lanes are not affected', async () => {
    const { lanes, run, end } = open(rules)
    for (const name of ['a', 'b', 'c', 'd', 'e']) void run(LANES.first, name)
    await expect(run(LANES.first, 'f')).rejects.toThrow(BusyError)
    const judged = run(LANES.judgement, 'judged')
    expect(lanes.size).toBe(6)
    for (const name of ['a', 'b', 'c', 'd', 'e', 'judged']) await end(name)
    expect(await judged).toBe('judged')
    expect(lanes.size).toBe(0)
  })

  test('a call that waited too long is rejected when a place is free', async () => {
    let now = 0
    const { begun, run, end } = open(rules, { waitMs: 10, now: () => now })
    for (const name of ['a', 'b', 'c']) void run(LANES.first, name)
    const waits = run(LANES.first, 'd')
    now = 11
    void run(LANES.first, 'e')
    await end('a')
    await expect(waits).rejects.toThrow('it waited too long')
    expect(begun).toEqual(['a', 'b', 'c', 'e'])
  })

  test('work that throws, even at once, gives its place back', async () => {
    const { lanes, run, begun } = open([{ atOnce: 1, waiting: 1 }, rules[1], rules[2]])
    const thrown = lanes.run(LANES.first, () => {
      throw new TypeError('a defect')
    })
    await expect(thrown).rejects.toThrow('a defect')
    void run(LANES.first, 'next')
    expect(begun).toEqual(['next'])
  })

  test('one connection serves every lane', () => {
    for (const { atOnce } of connectionRules(1)) expect(atOnce).toBe(1)
  })
})

describe('sources', () => {
  test('take turns within a lane; the one with most makes room for one with less', async () => {
    const lanes = openLanes({ rules })
    const begun: string[] = []
    const ends: (() => void)[] = []
    const run = (source: string, name: string) =>
      lanes.run(
        LANES.later,
        () => {
          begun.push(name)
          return new Promise<void>((resolve) => ends.push(resolve))
        },
        { source },
      )
    const flood = ['a1', 'a2', 'a3'].map((name) => run('a', name))
    const late = run('b', 'b1')
    await expect(flood[2]).rejects.toThrow(BusyError)
    for (let at = 0; at < 3; at += 1) {
      ends[at]?.()
      await turn()
    }
    await Promise.all([flood[0], flood[1], late])
    expect(begun).toEqual(['a1', 'a2', 'b1'])
  })

  test('who has left is passed over, and makes room for others', async () => {
    const lanes = openLanes({ rules })
    const { waiting } = rules[LANES.later]
    const begun: string[] = []
    const gone = new Set<string>()
    let end = () => {}
    const run = (name: string) =>
      lanes.run(
        LANES.later,
        async () => {
          begun.push(name)
          await new Promise<void>((resolve) => {
            end = resolve
          })
        },
        { source: name, hasLeft: () => gone.has(name) },
      )
    void run('running')
    const left = Array.from({ length: waiting }, (_, n) => `left ${n}`)
    const refused = Promise.allSettled(left.map(run))
    for (const name of left.slice(1)) gone.add(name)
    void run('late')
    gone.add('left 0')
    end()
    await turn()
    expect(begun).toEqual(['running', 'late'])
    expect((await refused).map(({ status }) => status)).toEqual(left.map(() => 'rejected'))
  })
})
