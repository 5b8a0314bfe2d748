import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UnreadAnswers } from '../../../src/http/plugins/unread-answers.ts'

const bounds = { clientBytes: 100, allBytes: 250 }

/** Answers by name, and the names of those that were dropped. */
function open() {
  const unread = new UnreadAnswers(bounds)
  const dropped: string[] = []
  const add = (client: string, name: string, bytes: number) =>
    unread.add(client, bytes, () => dropped.push(name))
  return { unread, dropped, add }
}

test('a client over its bound loses the answers that it has not read for longest', () => {
  const { unread, dropped, add } = open()
  add('a', 'a1', 40)
  add('b', 'b1', 90)
  add('a', 'a2', 40)
  expect(dropped).toEqual([])
  add('a', 'a3', 60)
  expect(dropped).toEqual(['a1'])
  expect(unread.bytes).toBe(190)
})

test('one answer that is larger than the bound is not dropped', () => {
  const { dropped, add } = open()
  add('a', 'small', 1)
  add('a', 'large', 1_000)
  expect(dropped).toEqual(['small'])
})

test('over the bound of all, the client that holds most loses its oldest', () => {
  const { unread, dropped, add } = open()
  add('honest', 'honest', 30)
  for (const client of ['a', 'b']) for (const n of [1, 2]) add(client, `${client}${n}`, 50)
  add('c', 'c1', 40)
  expect(dropped).toEqual(['a1'])
  expect(unread.bytes).toBe(220)
})

test('what was read is not counted, and is not dropped later', () => {
  const { unread, dropped, add } = open()
  const read = add('a', 'a1', 90)
  read()
  read()
  expect(unread.bytes).toBe(0)
  add('a', 'a2', 90)
  expect(dropped).toEqual([])
})

test('no order of answers and reads holds more than the bounds and one answer of a client', () => {
  const step = fc.record({
    client: fc.constantFrom('a', 'b', 'c', 'd'),
    bytes: fc.integer({ min: 0, max: 120 }),
    reads: fc.nat({ max: 20 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const unread = new UnreadAnswers(bounds)
      const held = new Map<number, { bytes: number; read: () => void }>()
      for (const [n, { client, bytes, reads }] of steps.entries()) {
        const entry = { bytes, read: () => {} }
        held.set(n, entry)
        entry.read = unread.add(client, bytes, () => held.delete(n))
        const sum = [...held.values()].reduce((all, one) => all + one.bytes, 0)
        expect(unread.bytes).toBe(sum)
        expect(sum).toBeLessThanOrEqual(bounds.allBytes)
        const other = [...held.keys()][reads]
        if (other === undefined) continue
        held.get(other)?.read()
        held.delete(other)
      }
      for (const { read } of held.values()) read()
      expect(unread.bytes).toBe(0)
    }),
  )
})
