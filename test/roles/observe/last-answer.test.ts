import { expect, test } from 'vitest'
import { lastAnswer } from '../../../src/roles/observe/last-answer.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a part that is away keeps no scrape waiting, and leaves no old value', async () => {
  const asked: { answer: (value: number) => void; fail: () => void }[] = []
  const read = lastAnswer(
    () =>
      new Promise<number>((resolve, reject) => {
        asked.push({ answer: resolve, fail: () => reject(new Error('away')) })
      }),
  )
  expect([read(), asked.length]).toEqual([null, 1])
  asked[0]?.answer(7)
  await turn()
  expect([read(), read(), asked.length]).toEqual([7, 7, 2])
  asked[1]?.fail()
  await turn()
  expect([read(), asked.length]).toEqual([null, 3])
})
