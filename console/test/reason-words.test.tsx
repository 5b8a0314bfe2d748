import { expect, test } from 'vitest'
import { CLAIM_NOTES } from '../../src/domain/reasons/claim-notes.ts'
import { saidReason } from '../src/ui/values/reason-words.ts'

test.each(Object.keys(CLAIM_NOTES))('a note on a claim is in words: %s', (note) => {
  expect(saidReason(note)).toMatchObject({ code: note, detail: '', says: expect.any(String) })
})
