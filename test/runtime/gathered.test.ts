import { describe, expect, test } from 'vitest'
import { gathered } from '../../src/runtime/gathered.ts'

const turn = () => new Promise(setImmediate)

/** Asks for squares; each request is answered when the test says so. */
function squares(limits = { atOnce: 2, perRequest: 3 }) {
  const requests: { questions: readonly number[]; end: (error?: Error) => void }[] = []
  const ask = gathered<number, number>(
    (questions) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) =>
          error ? reject(error) : resolve(questions.map((one) => one * one))
        requests.push({ questions, end })
      }),
    limits,
  )
  const asked = () => requests.map(({ questions }) => questions)
  return { ask, requests, asked }
}

describe('questions that are gathered', () => {
  test('go at once while few requests are under way, then together', async () => {
    const { ask, requests, asked } = squares()
    const answers = Promise.all([1, 2, 3, 4, 5, 6, 7].map(ask))
    expect(asked()).toEqual([[1], [2]])
    requests[0]?.end()
    await turn()
    expect(asked()).toEqual([[1], [2], [3, 4, 5]])
    requests[1]?.end()
    await turn()
    expect(asked()).toEqual([[1], [2], [3, 4, 5], [6, 7]])
    for (const { end } of requests) end()
    expect(await answers).toEqual([1, 4, 9, 16, 25, 36, 49])
  })

  test('fail with their request, and with no other', async () => {
    const { ask, requests, asked } = squares({ atOnce: 1, perRequest: 9 })
    const answers = [1, 2, 3].map(ask)
    requests[0]?.end(new Error('away'))
    await expect(answers[0]).rejects.toThrow('away')
    await turn()
    expect(asked()).toEqual([[1], [2, 3]])
    requests[1]?.end()
    expect(await Promise.all(answers.slice(1))).toEqual([4, 9])
    const later = ask(4)
    expect(asked().at(-1)).toEqual([4])
    requests[2]?.end()
    expect(await later).toBe(16)
  })
})
