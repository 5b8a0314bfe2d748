import { describe, expect, test } from 'vitest'
import { readStartConfig } from '../../src/cli/terminal/environment.ts'
import { secretsReadBy } from './secrets-read.ts'
import { APART, containerOf, variablesOf } from './settings.ts'

// The secrets of each workload against what the code of its role reads.

/** Read by code that roles share, and of no use to these. */
const UNUSED: Record<string, readonly string[]> = {
  // Who appends changes signs them.
  HEADS_KEY: APART.filter((role) => role !== 'actors'),
  // They ask the node alone, and keep the key of their cursors on their disk.
  ASSET_INDEX_PASSWORD: ['pairing', 'circles'],
  CURSOR_KEY: ['pairing', 'circles'],
}

/** What an operator adds to the maps where every server asks for a login. */
const USERS: Record<string, Record<string, string>> = {
  market: { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'market' },
  'market-chain': { ASSET_INDEX_USER: 'market' },
  'market-stores': {
    REDIS_USER: 'market',
    REDIS_SENTINEL_NAME: 'market',
    REDIS_SENTINEL_USER: 'market',
  },
}

describe.each(APART)('%s', (role) => {
  const { env, envFrom } = containerOf(role)

  test('gets the secrets that its code reads by their names, and no others', () => {
    const read = secretsReadBy(role).filter((name) => !UNUSED[name]?.includes(role))
    expect(env.map(({ name }) => name).sort()).toEqual(read)
    for (const { name, valueFrom } of env)
      expect(valueFrom.secretKeyRef).toMatchObject({ name: 'market', key: name })
  })

  test('starts where every server asks for a login', () => {
    const maps = envFrom.map(({ configMapRef }) => configMapRef.name)
    const users = Object.assign({}, ...maps.map((map) => USERS[map] ?? {})) as typeof USERS
    const given = env
      .filter(({ name, valueFrom }) => /_PASSWORD$/.test(name) || !valueFrom.secretKeyRef.optional)
      .map(({ name }) => [name, 's'.repeat(32)])
    const variables = { ROLE: role, ...variablesOf('base', maps), ...users }
    expect(readStartConfig({ ...variables, ...Object.fromEntries(given) }).ROLE).toBe(role)
  })
})
