import { expect, test } from 'vitest'
import { SourceQueue } from '../../src/runtime/source-queue.ts'

const all = (queue: SourceQueue<string>) =>
  Array.from({ length: queue.length }, () => queue.shift())

test('sources take turns, and each is served in order of arrival', () => {
  const queue = new SourceQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item.charAt(0), item)
  expect(queue.length).toBe(6)
  expect(all(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  expect(queue.shift()).toBeUndefined()
  expect(queue.length).toBe(0)
})

test('a source that was served waits for its turn again', () => {
  const queue = new SourceQueue<string>()
  queue.push('a', 'a1')
  queue.push('a', 'a2')
  queue.push('b', 'b1')
  expect(queue.shift()).toBe('a1')
  queue.push('c', 'c1')
  expect(all(queue)).toEqual(['b1', 'a2', 'c1'])
})

test('the source that has most makes room for one that would have less', () => {
  const queue = new SourceQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2']) queue.push(item.charAt(0), item)
  expect(queue.makeRoom('a')).toBeUndefined()
  expect(queue.makeRoom('b')).toBeUndefined()
  expect(queue.makeRoom('c')).toBe('a3')
  expect(queue.length).toBe(4)
  queue.push('c', 'c1')
  expect(queue.makeRoom('c')).toBeUndefined()
  expect(all(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2'])
})
