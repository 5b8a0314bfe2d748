import { NotFoundError, UnavailableError } from 'psbt-market-client'
import { expect, test } from 'vitest'
import { isOfProxy } from '../src/operations/readiness-cards.tsx'

const failure = (status: number, code: string | null) => ({
  ...{ status, code, requestId: null, retryAfter: null, param: null, docs: null, body: null },
  messages: ['failed'],
})

test('what a proxy keeps is told from what the service says', () => {
  expect(isOfProxy(new NotFoundError(failure(404, null)))).toBe(true)
  expect(isOfProxy(new UnavailableError(failure(503, null)))).toBe(true)
  expect(isOfProxy(new UnavailableError(failure(502, null)))).toBe(false)
  expect(isOfProxy(new UnavailableError(failure(503, 'OVERLOADED')))).toBe(false)
  expect(isOfProxy(new Error('failed'))).toBe(false)
})
