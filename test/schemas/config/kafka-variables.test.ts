import { describe, expect, test } from 'vitest'
import { Config } from '../../../src/schemas/config/config.ts'

const PASSWORD = { KAFKA_SASL_USERNAME: 'market', KAFKA_SASL_PASSWORD: 'p' }
const OAUTH = {
  KAFKA_OAUTH_TOKEN_URL: 'https://login.example/token',
  KAFKA_OAUTH_CLIENT_ID: 'market',
  KAFKA_OAUTH_CLIENT_SECRET: 's',
}

const problemsOf = (variables: Record<string, string>): string[] =>
  Config.safeParse(variables).error?.issues.map(
    ({ path, message }) => `${path.join('.')} ${message}`,
  ) ?? []

describe('the login to the brokers', () => {
  test.each<[string, Record<string, string>]>([
    ['none', {}],
    ['plain', { KAFKA_SASL_MECHANISM: 'plain', ...PASSWORD }],
    ['SCRAM', { KAFKA_SASL_MECHANISM: 'scram-sha-512', ...PASSWORD }],
    ['tokens', { KAFKA_SASL_MECHANISM: 'oauthbearer', ...OAUTH }],
    [
      'tokens of a scope',
      { KAFKA_SASL_MECHANISM: 'oauthbearer', ...OAUTH, KAFKA_OAUTH_SCOPE: 'log' },
    ],
    [
      'tokens of an endpoint on this machine',
      {
        KAFKA_SASL_MECHANISM: 'oauthbearer',
        ...OAUTH,
        KAFKA_OAUTH_TOKEN_URL: 'http://127.0.0.1:1/',
      },
    ],
    ['authorities', { KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: '/ca.crt' }],
    ['a certificate', { KAFKA_TLS: 'true', KAFKA_TLS_CERT_FILE: '/a', KAFKA_TLS_KEY_FILE: '/b' }],
  ])('%s', (_, variables) => {
    expect(problemsOf(variables)).toEqual([])
  })

  test.each<[Record<string, string>, string]>([
    [
      { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'market' },
      'KAFKA_SASL_PASSWORD is required with KAFKA_SASL_MECHANISM=plain',
    ],
    [{ KAFKA_SASL_USERNAME: 'market' }, 'KAFKA_SASL_USERNAME requires KAFKA_SASL_MECHANISM'],
    [
      { KAFKA_SASL_MECHANISM: 'oauthbearer', ...OAUTH, KAFKA_SASL_PASSWORD: 'p' },
      'KAFKA_SASL_PASSWORD requires KAFKA_SASL_MECHANISM',
    ],
    [
      { KAFKA_SASL_MECHANISM: 'plain', ...PASSWORD, KAFKA_OAUTH_SCOPE: 'log' },
      'KAFKA_OAUTH_SCOPE requires KAFKA_SASL_MECHANISM=oauthbearer',
    ],
    [
      {
        KAFKA_SASL_MECHANISM: 'oauthbearer',
        ...OAUTH,
        KAFKA_OAUTH_TOKEN_URL: 'http://login.example/token',
      },
      'KAFKA_OAUTH_TOKEN_URL must be https, or on this machine: the client secret is sent to it',
    ],
    [{ KAFKA_TLS_CA_FILE: '/ca.crt' }, 'KAFKA_TLS_CA_FILE requires KAFKA_TLS=true'],
    [
      { KAFKA_TLS: 'true', KAFKA_TLS_KEY_FILE: '/b' },
      'KAFKA_TLS_CERT_FILE requires KAFKA_TLS_KEY_FILE, and it requires this: set both or none',
    ],
  ])('%j', (variables, problem) => {
    expect(problemsOf(variables)).toEqual([problem])
  })
})
