import { describe, expect, test } from 'vitest'
import { aborted, untilAborted } from '../../src/runtime/until-aborted.ts'

const never = new Promise<string>(() => {})
const refuse = (): never => {
  throw new Error('it hangs')
}

describe('an answer that is awaited until the abort', () => {
  test('is the answer, or its rejection, while the signal is not aborted', async () => {
    const { signal } = new AbortController()
    expect(await untilAborted(Promise.resolve('yes'), signal, refuse)).toBe('yes')
    const failed = untilAborted(Promise.reject(new Error('no')), signal, refuse)
    await expect(failed).rejects.toThrow('no')
  })

  test('is what is given instead, or thrown, once the signal aborts', async () => {
    const stop = new AbortController()
    const given = untilAborted(never, stop.signal, () => null)
    const thrown = untilAborted(never, stop.signal, refuse)
    stop.abort()
    expect(await given).toBeNull()
    await expect(thrown).rejects.toThrow('it hangs')
  })

  test('is not awaited where the signal is aborted already', async () => {
    expect(await untilAborted(never, AbortSignal.abort(), () => null)).toBeNull()
    expect(await aborted(AbortSignal.abort())).toBeUndefined()
  })

  test('may fail late, unheard', async () => {
    const late = new Promise((_, reject) => setImmediate(() => reject(new Error('late'))))
    expect(await untilAborted(late, AbortSignal.abort(), () => null)).toBeNull()
    await new Promise(setImmediate)
  })
})
