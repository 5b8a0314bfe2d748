import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { BatchWorker } from '../../../src/http/batches/batch-answer.ts'

const LINES = Array.from({ length: 100 }, (_, n) => Buffer.from(String(n)))
const never = new AbortController().signal
const turn = () => new Promise<void>(setImmediate)

/** Lines that a test answers one by one. */
function asked() {
  const open = new Map<number, () => void>()
  const answer = async (line: Buffer, index: number) => {
    await new Promise<void>((resolve) => open.set(index, resolve))
    return `answer to ${line}`
  }
  const finish = async (index: number) => {
    open.get(index)?.()
    open.delete(index)
    await turn()
  }
  return { open, answer, finish }
}

test('answers come in the order of the lines, whichever is done first', async () => {
  const answer = async (line: Buffer, index: number) => {
    for (let turns = index % 7; turns > 0; turns -= 1) await turn()
    return String(line)
  }
  const all = new BatchWorker().run({ lines: LINES, answer, hold: () => () => {}, signal: never })
  expect(await text(all)).toBe(LINES.map((line) => `${line}\n`).join(''))
})

test('16 lines of a batch are in progress at once, and 32 of all batches', async () => {
  const worker = new BatchWorker()
  const batches = [asked(), asked(), asked()]
  for (const { answer } of batches)
    worker.run({ lines: LINES, answer, hold: () => () => {}, signal: never }).resume()
  await turn()
  expect(batches.map(({ open }) => open.size)).toEqual([16, 16, 0])
  await batches[0]?.finish(3)
  expect(batches.map(({ open }) => open.size)).toEqual([15, 16, 1])
})

/** Bytes of answers, as they are counted. */
function counting() {
  const counted = { bytes: 0 }
  const hold = (bytes: number) => {
    counted.bytes += bytes
    return () => {
      counted.bytes -= bytes
    }
  }
  return { counted, hold }
}

test('answers that wait are counted until they are sent', async () => {
  const { counted, hold } = counting()
  const { open, answer, finish } = asked()
  const all = new BatchWorker().run({ lines: LINES.slice(0, 2), answer, hold, signal: never })
  const sent = text(all)
  await turn()
  await finish(1)
  expect([open.size, counted.bytes]).toEqual([1, 'answer to 1\n'.length])
  await finish(0)
  await sent
  expect(counted.bytes).toBe(0)
})

test('none is counted once the client has left, neither those that waited nor those in progress', async () => {
  const { counted, hold } = counting()
  const stop = new AbortController()
  const { answer, finish } = asked()
  const all = new BatchWorker().run({
    lines: LINES.slice(0, 3),
    answer,
    hold,
    signal: stop.signal,
  })
  all.resume()
  await turn()
  await finish(1)
  expect(counted.bytes).toBeGreaterThan(0)
  stop.abort()
  all.destroy()
  expect(counted.bytes).toBe(0)
  await finish(0)
  await finish(2)
  expect(counted.bytes).toBe(0)
})

test('no further line begins once the client has left', async () => {
  const stop = new AbortController()
  const { open, answer, finish } = asked()
  let begun = 0
  const counted = (line: Buffer, index: number) => {
    begun += 1
    return answer(line, index)
  }
  const run = { lines: LINES, answer: counted, hold: () => () => {}, signal: stop.signal }
  new BatchWorker().run(run).resume()
  await turn()
  stop.abort()
  for (const index of [...open.keys()]) await finish(index)
  await turn()
  expect(begun).toBe(16)
})
