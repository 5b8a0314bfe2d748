import { expect, test } from 'vitest'
import { onceMade } from '../../src/runtime/once-made.ts'

test('is made once for all who ask, and again only after a failure', async () => {
  let made = 0
  const get = onceMade(async () => {
    made += 1
    if (made === 1) throw new Error('too many open files')
    return made
  })
  const [one, other] = [get(), get()]
  await expect(one).rejects.toThrow('too many open files')
  await expect(other).rejects.toThrow('too many open files')
  expect(await Promise.all([get(), get()])).toEqual([2, 2])
  expect(await get()).toBe(2)
})
