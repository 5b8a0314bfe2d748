import { expect, test } from 'vitest'
import { DEFAULT_HTTP_SETTINGS } from '../../src/http/app.ts'
import { rateLimitsOf } from '../../src/roles/parts/gateway.ts'
import { Config } from '../../src/schemas/config/config.ts'

const DEFAULTS = { ...DEFAULT_HTTP_SETTINGS.rateLimits }

/** `statisticFile` is RATE_LIMIT_STATISTIC_FILE. */
const variableOf = (limit: string): string =>
  `RATE_LIMIT_${limit.replace(/[A-Z]/g, (capital) => `_${capital}`).toUpperCase()}`

test('each limit has a variable of its own', () => {
  expect(rateLimitsOf(Config.parse({}))).toEqual(DEFAULTS)
  const wanted = Object.fromEntries(Object.keys(DEFAULTS).map((limit, at) => [limit, at + 1]))
  const variables = Object.entries(wanted).map(([limit, value]) => [variableOf(limit), `${value}`])
  expect(rateLimitsOf(Config.parse(Object.fromEntries(variables)))).toEqual(wanted)
})
