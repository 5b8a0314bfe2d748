import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { operatorChecks } from '../../src/operator/doctor/operators.ts'
import { lastDayOf, makeOperatorToken } from '../../src/operator/operator-token.ts'
import { Config } from '../../src/schemas/config/config.ts'
import { openTestApp } from '../support/http/http.ts'

test('a new token is accepted by a service that has its entry', async () => {
  const { token, entry } = makeOperatorToken('mia', '2999-12-31')
  expect(token).toMatch(/^mkt_[A-Za-z0-9_-]{43}$/)
  const hash = createHash('sha256').update(token).digest('hex')
  expect(entry).toBe(`mia:${hash}:2999-12-31`)
  const { OPERATOR_TOKENS } = Config.parse({ OPERATOR_TOKENS: entry })
  const it = await openTestApp({ http: { operators: OPERATOR_TOKENS ?? [] } })
  const answer = await it.get(`/api/market/admin/orders/${'0'.repeat(64)}`, {
    authorization: `Bearer ${token}`,
  })
  expect(answer.statusCode).toBe(404)
  await it.close()
})

test('no two are alike, and one without a last day has none', () => {
  const made = Array.from({ length: 20 }, () => makeOperatorToken('mia'))
  expect(new Set(made.map(({ token }) => token)).size).toBe(20)
  expect(made[0]?.entry).toMatch(/^mia:[0-9a-f]{64}$/)
})

test.each([
  ['', undefined],
  ['mia:x', undefined],
  ['m i a', undefined],
  ['mia', 'tomorrow'],
  ['mia', '2027-02-29'],
  ['mia', '2027-01-31T00:00:00Z'],
])('none is made for %j until %j', (name, lastDay) => {
  expect(() => makeOperatorToken(name, lastDay)).toThrow(/the name of an operator is/)
})

test('the doctor reports expired tokens', async () => {
  const hash = 'a'.repeat(64)
  const config = Config.parse({
    OPERATOR_TOKENS: `mia:${hash}:2027-01-30,bob:${hash}:2027-01-31,eve:${hash}`,
  })
  const [check] = operatorChecks(config, Date.parse('2027-01-31T12:00:00Z'))
  const found = await check?.look()
  expect(found?.map(({ status, what }) => [status, what])).toEqual([
    ['warn', 'the token of mia expired after 2027-01-30'],
    ['ok', 'the token of bob is accepted to the end of 2027-01-31 (UTC)'],
  ])
})

test('a token made now has 90 days, any day that is not over, or no end', () => {
  const now = Date.parse('2027-01-31T23:59:59Z')
  expect(lastDayOf(undefined, now)).toBe('2027-05-01')
  expect(lastDayOf('2027-01-31', now)).toBe('2027-01-31')
  expect(lastDayOf('never', now)).toBeUndefined()
  expect(() => lastDayOf('2027-01-30', now)).toThrow(
    '2027-01-30 is over: today is 2027-01-31 (UTC), so nothing accepts the token',
  )
})
