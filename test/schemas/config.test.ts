import { describe, expect, test } from 'vitest'
import { printConfig, readConfig } from '../../src/cli/environment.ts'
import { Config, publicOrigin } from '../../src/schemas/config.ts'

const HASH = 'a'.repeat(64)

describe('OPERATOR_TOKENS', () => {
  test('names operators, each with the hash of a token', () => {
    const { OPERATOR_TOKENS } = Config.parse({
      OPERATOR_TOKENS: `alice:${HASH}, bob.b-2:${'b'.repeat(64)}`,
    })
    expect(OPERATOR_TOKENS).toEqual([
      { name: 'alice', tokenSha256: HASH },
      { name: 'bob.b-2', tokenSha256: 'b'.repeat(64) },
    ])
  })

  test.each([
    ['empty', ''],
    ['a token in plain', 'alice:secret'],
    ['no name', HASH],
    ['an empty name', `:${HASH}`],
    ['a hash in capitals', `alice:${HASH.toUpperCase()}`],
    ['one operator twice', `alice:${HASH},alice:${'b'.repeat(64)}`],
    ['a comma at the end', `alice:${HASH},`],
  ])('stops the start when it is %s', (_name, OPERATOR_TOKENS) => {
    expect(() => readConfig({ OPERATOR_TOKENS })).toThrow(/OPERATOR_TOKENS\S* must/)
  })

  test('is not printed', () => {
    const printed = printConfig(readConfig({ OPERATOR_TOKENS: `alice:${HASH}` }))
    expect(printed).toContain('OPERATOR_TOKENS=(set, not shown)')
    expect(printed).not.toContain(HASH)
  })
})

test.each([
  [{}, 'http://127.0.0.1:8080'],
  [{ HOST: '::1', PORT: '9000' }, 'http://[::1]:9000'],
  [{ PUBLIC_ORIGIN: 'https://market.example/' }, 'https://market.example'],
  [{ PUBLIC_ORIGIN: 'https://market.example:8443/path?query' }, 'https://market.example:8443'],
])('the public origin of %j is %s', (variables, origin) => {
  expect(publicOrigin(Config.parse(variables))).toBe(origin)
})
