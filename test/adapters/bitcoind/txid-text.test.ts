import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTxidText, TxidText } from '../../../src/adapters/bitcoind/txid-text.ts'
import { NodeUnavailableError } from '../../../src/ports/authorities/authority-errors.ts'
import type { Txid } from '../../../src/schemas/scalars.ts'
import { toTxid } from '../../support/ids.ts'
import { txidText } from '../../support/txid-text.ts'
import { openRecordedNode, resultOf } from './recorded-node.ts'

const txid = (number: number): Txid =>
  toTxid(createHash('sha256').update(String(number)).digest('hex'))

const listOf = (numbers: readonly number[]) => txidText(numbers.map(txid))

let turns = 0
const pace = async () => {
  turns += 1
}
const between = (was: readonly number[], is: readonly number[]) =>
  listOf(is).differencesFrom(listOf(was), pace)

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)

/** What only one list has: a move is on both sides. */
async function netOf(was: readonly number[], is: readonly number[]) {
  const found = await between(was, is)
  if (!found) return null
  const [entered, left] = [new Set(found.entered), new Set(found.left)]
  return {
    entered: [...entered].filter((one) => !left.has(one)).sort(),
    left: [...left].filter((one) => !entered.has(one)).sort(),
  }
}

const without = (of: readonly number[], other: readonly number[]) => {
  const those = new Set(other)
  return of
    .filter((one) => !those.has(one))
    .map(txid)
    .sort()
}

describe('the differences of two lists', () => {
  const moves = fc.array(
    fc.record({
      kind: fc.constantFrom('enter', 'leave', 'move', 'block'),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      to: fc.double({ min: 0, max: 1, noNaN: true }),
      count: fc.integer({ min: 1, max: 150 }),
    }),
    { maxLength: 12 },
  )
  const changed = (
    was: readonly number[],
    steps: typeof moves extends fc.Arbitrary<infer T> ? T : never,
  ) => {
    const is = [...was]
    let next = 1_000_000
    for (const { kind, at, to, count } of steps) {
      const place = Math.floor(at * is.length)
      if (kind === 'enter') is.splice(place, 0, next++)
      else if (kind === 'leave') is.splice(place, 1)
      else if (kind === 'block') is.splice(place, count)
      else is.splice(Math.floor(to * (is.length - 1)), 0, ...is.splice(place, 1))
    }
    return is
  }

  test('are those of the sets, whatever entered, left, moved or was mined', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 400 }), moves, async (length, steps) => {
        const was = range(0, length)
        const is = changed(was, steps)
        expect(await netOf(was, is)).toEqual({ entered: without(is, was), left: without(was, is) })
      }),
      { numRuns: 300 },
    )
  })

  test('are found where nothing near agrees any more', async () => {
    const was = range(0, 23)
    const is = [21, 1_000_000, ...range(1, 21)]
    expect(await netOf(was, is)).toEqual({ entered: [txid(1_000_000)], left: [0, 22].map(txid) })
  })

  test('of a large list are found by reading them alone', async () => {
    const was = range(0, 20_000)
    const is = [
      ...was.slice(3_000, 9_000),
      -1,
      ...was.slice(9_000, 12_000),
      ...was.slice(12_001),
      -2,
    ]
    expect(await between(was, is)).toEqual({
      entered: [txid(-1), txid(-2)],
      left: [...range(0, 3_000), 12_000].map(txid),
    })
  })

  test('yield to the event loop between pieces', async () => {
    turns = 0
    await between(range(0, 20_000), range(0, 20_000))
    expect(turns).toBeGreaterThan(10)
  })

  test('of a completely different order are unknown', async () => {
    const was = range(0, 5_000)
    expect(await between(was, was.toReversed())).toBeNull()
    expect(await listOf(was).differencesFrom(was.map(txid), pace)).toBeNull()
  })
})

describe('a list', () => {
  test.each([0, 1, 2, 300])('of %d txids is read as it is written', (length) => {
    const txids = range(0, length).map(txid)
    expect(isTxidText(JSON.stringify(txids).length - 2)).toBe(true)
    const list = txidText(txids)
    expect([...list]).toEqual(txids)
    expect(list).toHaveLength(length)
  })

  test.each([
    ['another length', `"${'a'.repeat(63)}"`, false],
    ['a space', `"${txid(1)}", "${txid(2)}"`, false],
    ['not hexadecimal', `"${'x'.repeat(64)}"`, true],
    ['capitals', `"${'A'.repeat(64)}"`, true],
    ['other quotes', `'${txid(1)}'`, true],
    ['other commas', `"${txid(1)}";"${txid(2)}"`, true],
  ])('with %s is not read as one', (_what, text, hasLength) => {
    expect(isTxidText(text.length)).toBe(hasLength)
    if (hasLength) expect(() => [...new TxidText(Buffer.from(text))]).toThrow(NodeUnavailableError)
  })
})

describe('the mempool of a node', () => {
  const info = resultOf({ loaded: true })
  const asked = async (getrawmempool: string) => {
    const recorded = await openRecordedNode({ getmempoolinfo: info, getrawmempool })
    try {
      const { txids, sequence } = await recorded.node.mempool()
      return { isText: txids instanceof TxidText, txids: [...txids], sequence }
    } finally {
      await recorded.close()
    }
  }
  const txids = [txid(1), txid(2)]

  test.each([[[]], [[txid(1)]], [txids]])('is read from the bytes of the answer', async (list) => {
    const answer = resultOf({ txids: list, mempool_sequence: 7 })
    expect(await asked(answer)).toEqual({ isText: true, txids: list, sequence: 7 })
  })

  test('is read where the number comes first, and in another notation', async () => {
    const turned = resultOf({ mempool_sequence: 7, txids })
    expect(await asked(turned)).toEqual({ isText: true, txids, sequence: 7 })
    const spaced = `{"result":{"txids":[ "${txids.join('", "')}" ],"mempool_sequence":7},"id":0}`
    expect(await asked(spaced)).toEqual({ isText: false, txids, sequence: 7 })
  })

  test.each([
    ['what is not a txid', resultOf({ txids: ['x'.repeat(64)], mempool_sequence: 7 })],
    ['not a list', resultOf({ txids: 'none', mempool_sequence: 7 })],
    ['not a number', resultOf({ txids })],
    ['a list of something else', resultOf({ other: { txids }, mempool_sequence: 7 })],
    ['no end', `{"result":{"txids":["${txid(1)}"`],
  ])('with %s is not a usable answer', async (_what, answer) => {
    await expect(asked(answer)).rejects.toThrow(NodeUnavailableError)
  })
})
