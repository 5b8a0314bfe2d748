import { expect, test } from 'vitest'
import { RefusalError } from '../../../src/gateway/refusal.ts'
import { patiently } from '../../../src/roles/devnet/patient-import.ts'
import type { ErrorCode } from '../../../src/schemas/api/errors.ts'

const REQUEST = { psbt: 'cHNidA==' }

/** Refuses as scripted, one after another, then accepts the order. */
function importer(...codes: ErrorCode[]) {
  let asked = 0
  const take = async () => {
    const code = codes[asked]
    asked += 1
    if (code) throw new RefusalError(code, 'not now')
    return 'taken'
  }
  return { import: patiently(take), asked: () => asked }
}

test('an order whose verdict takes longer than a client waits is imported again', async () => {
  const slow = importer('STILL_BEING_VERIFIED', 'STILL_BEING_VERIFIED')
  expect(await slow.import(REQUEST)).toBe('taken')
  expect(slow.asked()).toBe(3)
})

test('not forever', async () => {
  const never = importer(...Array.from({ length: 99 }, () => 'STILL_BEING_VERIFIED' as const))
  await expect(never.import(REQUEST)).rejects.toMatchObject({ code: 'STILL_BEING_VERIFIED' })
  expect(never.asked()).toBe(6)
})

test('any other refusal is final', async () => {
  const refused = importer('STORAGE_UNAVAILABLE')
  await expect(refused.import(REQUEST)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  expect(refused.asked()).toBe(1)
})
