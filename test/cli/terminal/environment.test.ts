import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  ConfigError,
  examineConfig,
  printConfig,
  readConfig,
} from '../../../src/cli/terminal/environment.ts'
import { SECRET_VARIABLES, VARIABLE_NAMES } from '../../../src/schemas/config/config.ts'
import { temporaryDirectory } from '../../support/embedded.ts'

const folder = temporaryDirectory()
afterAll(() => folder.drop())

function fileWith(text: string): string {
  const path = join(folder.path, `${Math.abs(text.length)}.txt`)
  writeFileSync(path, text)
  return path
}

function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('the environment', () => {
  test('an empty one is the service on the devnet', () => {
    const { ROLE, BITCOIN_NETWORK, PORT, HOST } = readConfig({})
    expect([ROLE, BITCOIN_NETWORK, HOST, PORT]).toEqual(['all', 'regtest', '127.0.0.1', 8080])
  })

  test('NAME_FILE names a file with the value, without the line end', () => {
    expect(readConfig({ PORT_FILE: fileWith('9000\n') }).PORT).toBe(9_000)
  })

  test('a variable that is set twice is a problem, and so is a missing file', () => {
    expect(problemsOf({ PORT: '1', PORT_FILE: '/nowhere', HOST_FILE: '/nowhere/host' })).toEqual([
      expect.stringMatching(/^HOST_FILE cannot be read: ENOENT/),
      'PORT is set twice: unset PORT or PORT_FILE',
    ])
  })

  test('BITCOIN_RPC_COOKIE_FILE is a path, not the file form of another variable', () => {
    const env = { BITCOIN_RPC_URL: 'http://127.0.0.1:8332', BITCOIN_RPC_COOKIE_FILE: '/a/.cookie' }
    expect(readConfig(env).BITCOIN_RPC_COOKIE_FILE).toBe('/a/.cookie')
  })

  test('rules between variables are reported along with variables that are wrong by themselves', () => {
    expect(problemsOf({ PORT: 'x', BITCOIN_NETWORK: 'mainnet' })).toEqual([
      'PORT must be a whole number',
      expect.stringMatching(/^PUBLIC_ORIGIN is required on mainnet/),
    ])
  })

  test.each(['http://user@node', 'http://user:pass@node:8332', 'https://:pass@node'])(
    '%s: an address must not contain secrets',
    (url) => {
      expect(problemsOf({ BITCOIN_RPC_URL: url, BITCOIN_RPC_COOKIE_FILE: '/c' })).toEqual([
        'BITCOIN_RPC_URL must not contain a user or password',
      ])
    },
  )

  test.each(['::1', '0.0.0.0', 'market.example'])('HOST %s is an address', (HOST) => {
    expect(problemsOf({ HOST })).toEqual([])
  })

  test.each(['a b', '1.2.3.4.5', '/', '127.0.0.1:80'])('HOST %s is not', (HOST) => {
    expect(problemsOf({ HOST })).toEqual(['HOST must be a host name or an IP address'])
  })
})

test('the printed configuration has every variable and no secret', () => {
  const secret = 'a-secret-that-is-longer-than-32-characters'
  const config = readConfig({})
  const secrets = Object.fromEntries([...SECRET_VARIABLES].map((name) => [name, [secret]]))
  const printed = printConfig({ ...config, ...secrets })
  expect(printed.split('\n').map((line) => line.split('=')[0])).toEqual(VARIABLE_NAMES)
  expect(printed).not.toContain(secret)
  for (const name of SECRET_VARIABLES) expect(printed).toContain(`${name}=(set, not shown)`)
})

test.each([
  'NOSTR_RELAYS',
  'NOSTR_TRUSTED_RELAYS',
  'OFFERS_URL',
  'FIAT_PRICES_URL',
  'KAFKA_OAUTH_TOKEN_URL',
  'PAIRING_B_URL',
])('a query of %s, which may hold a key, is not printed', (name) => {
  const config = { ...readConfig({}), [name]: 'https://third.example/v1?key=secret' }
  expect(printConfig(config)).toContain(`${name}=https://third.example/v1?(not shown)\n`)
})

describe('a configuration that is wrong', () => {
  const env = {
    PORT: 'x',
    BITCOIN_NETWORK: 'mainnet',
    BITCOIN_RPC_URL: 'http://mia:in-a-url@127.0.0.1:8332',
    WEBHOOK_LOOPBACK: 'true',
  }
  const { config, faults, untaken } = examineConfig(env)

  test('is read as far as it goes, each fault with its variable', () => {
    expect([config.BITCOIN_NETWORK, config.PORT, config.BITCOIN_RPC_URL]).toEqual([
      'mainnet',
      8080,
      undefined,
    ])
    expect(new Set(faults.map(({ variable }) => variable))).toEqual(
      new Set(['BITCOIN_RPC_URL', 'PORT', 'PUBLIC_ORIGIN', 'WEBHOOK_LOOPBACK']),
    )
  })

  test('is printed with what is wrong beside it, and no text that was not taken', () => {
    const lines = printConfig(config, { faults, untaken }).split('\n')
    expect(lines).toHaveLength(VARIABLE_NAMES.length)
    expect(lines).toContain('PORT=(not taken)  # wrong: PORT must be a whole number')
    expect(lines).toContainEqual(
      expect.stringMatching(/^WEBHOOK_LOOPBACK=true {2}# wrong: WEBHOOK_LOOPBACK requires regtest/),
    )
    expect(lines).toContainEqual(
      expect.stringMatching(/^PUBLIC_ORIGIN=\(not set\) {2}# wrong: PUBLIC_ORIGIN is required/),
    )
    expect(lines.join()).not.toContain('in-a-url')
  })
})
