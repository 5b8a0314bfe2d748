import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { cursorCodec } from '../../src/gateway/cursor.ts'
import { RefusalError } from '../../src/gateway/refusal.ts'
import { MAX_CURSOR_LENGTH } from '../../src/schemas/api/api.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)
const Position = z.strictObject({ value: z.string().nullable(), id: z.string() })
const key = randomBytes(32)
const cursors = cursorCodec([key])
const position = { value: '1000', id: 'ab'.repeat(32) }
const cursor = cursors.encode('newest', position)

const refusal = (text: string, codec = cursors, query = 'newest'): string => {
  try {
    codec.decode(query, text, Position)
  } catch (error) {
    if (error instanceof RefusalError && error.code === 'INVALID_CURSOR') return error.message
    throw error
  }
  return 'accepted'
}
const FORGED = 'cursor: was not issued by this service'

test('a cursor resumes exactly where its page ended', () => {
  expect(cursors.decode('newest', cursor, Position)).toEqual(position)
})

test('the longest position fits the longest cursor', () => {
  const longest = { value: '\u{10ffff}'.repeat(64), id: 'ab'.repeat(32) }
  expect(cursors.encode('token_asc', longest).length).toBeLessThanOrEqual(MAX_CURSOR_LENGTH)
})

describe('a cursor is refused, never read as the first page', () => {
  test.each([
    ['empty', ''],
    ['of another key', cursorCodec([randomBytes(32)]).encode('newest', position)],
    ['cut short', cursor.slice(0, -1)],
    ['with something after it', `${cursor}A`],
    ['padded', `${cursor}=`],
    ['in another alphabet', Buffer.from(cursor, 'base64url').toString('base64')],
    ['of 10 kB', 'A'.repeat(10_240)],
    ['with another version', `Ag${cursor.slice(2)}`],
  ])('%s', (_name, text) => {
    expect(refusal(text)).toBe(FORGED)
  })

  test('with any one character changed', () => {
    const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    const edit = fc.tuple(fc.nat(cursor.length - 1), fc.constantFrom(...alphabet))
    fc.assert(
      fc.property(edit, ([at, char]) => {
        fc.pre(cursor[at] !== char)
        expect(refusal(cursor.slice(0, at) + char + cursor.slice(at + 1))).toBe(FORGED)
      }),
      { numRuns: RUNS },
    )
  })

  test('for any text at all', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String())
    fc.assert(
      fc.property(text, (sample) => {
        expect(refusal(sample)).toBe(FORGED)
      }),
      { numRuns: RUNS },
    )
  })

  test('under another sort or filter', () => {
    expect(refusal(cursor, cursors, 'oldest')).toBe(
      'cursor: belongs to another sort or other filters',
    )
  })
})

describe('rotation: the first key signs, every key verifies', () => {
  const next = randomBytes(32)

  test('a cursor of the previous key is still valid', () => {
    expect(refusal(cursor, cursorCodec([next, key]))).toBe('accepted')
  })

  test('until that key is gone', () => {
    expect(refusal(cursor, cursorCodec([next]))).toBe(FORGED)
  })

  test('new cursors use the new key', () => {
    const rotated = cursorCodec([next, key]).encode('newest', position)
    expect(refusal(rotated, cursorCodec([next]))).toBe('accepted')
  })
})
