import { describe, expect, test } from 'vitest'
import { keyProblems } from '../../src/pairing/agreement/trust.ts'
import { type Config, trustedKeysOf } from '../../src/schemas/config/config.ts'
import { AlertRules, objectsOf, of, variablesIn } from './manifests.ts'
import { APART, configOf, FILES, TAKEN_OUT } from './settings.ts'

describe('two pairing pipelines', () => {
  const [a, b] = [configOf('pairing', 'example'), configOf('pairing', 'pairing-b')]

  test('index the same deployment and trust the same keys', () => {
    const shared = (config: Config) => ({
      network: config.BITCOIN_NETWORK,
      deployment: config.PAIRING_DEPLOYMENT,
      startHeight: config.PAIRING_START_HEIGHT,
      magic: config.PAIRING_MAGIC,
      trustedA: config.PAIRING_TRUSTED_A,
      trustedB: config.PAIRING_TRUSTED_B,
    })
    expect(shared(b)).toEqual(shared(a))
  })

  test.each([
    ['A', a],
    ['B', b],
  ] as const)('%s signs under its own letter, with an id that is trusted for it', (letter, one) => {
    expect(one.PAIRING_PIPELINE).toBe(letter)
    const trusted = { A: one.PAIRING_TRUSTED_A, B: one.PAIRING_TRUSTED_B }
    expect([...trustedKeysOf(trusted[letter]).keys()]).toContain(one.PAIRING_KEY_ID)
    const keys = { A: trustedKeysOf(trusted.A), B: trustedKeysOf(trusted.B) }
    // Placeholder keys: a copy that keeps them reports it, and is not ready.
    expect(keyProblems(keys, null)).toEqual([
      'the trusted key a-1 of pipeline A is not an x-only public key',
      'the trusted key b-1 of pipeline B is not an x-only public key',
    ])
  })

  test('query each other at their known addresses, and a node of their own', () => {
    expect(a.PAIRING_B_URL).toBe(b.PUBLIC_ORIGIN)
    expect(b.PAIRING_B_URL).toBe(a.PUBLIC_ORIGIN)
    expect(a.BITCOIN_RPC_URL).not.toBe(b.BITCOIN_RPC_URL)
    expect(a.BITCOIN_ZMQ_URL).not.toEqual(b.BITCOIN_ZMQ_URL)
  })

  test('the standalone one needs only its node', () => {
    const { KAFKA_BROKERS, REDIS_URL, CLICKHOUSE_URL, ASSET_INDEX_URL } = b
    expect([KAFKA_BROKERS, REDIS_URL, CLICKHOUSE_URL, ASSET_INDEX_URL]).toEqual(
      Array.from({ length: 4 }, () => undefined),
    )
    for (const { metadata, data } of TAKEN_OUT)
      expect(Object.keys(variablesIn(`base/${FILES[metadata.name]}`))).toEqual(
        expect.arrayContaining(Object.keys(data)),
      )
  })

  test('the standalone one runs without other roles', () => {
    const [component] = objectsOf('components/pairing-alone/kustomization.yaml')
    const [, roles = ''] = /"name":"\(([a-z|]+)\)"/.exec(JSON.stringify(component)) ?? []
    expect(roles.split('|')).toEqual(APART.filter((role) => role !== 'pairing'))
  })

  test('the standalone one keeps the alerts about its process, its disk and its node', () => {
    const [rule] = of(AlertRules, objectsOf('components/monitoring/alerts.yaml'))
    expect(rule?.spec.groups.map(({ name }) => name)).toEqual(['market', 'processes'])
    const component = JSON.stringify(objectsOf('components/pairing-alone/kustomization.yaml')[0])
    expect(component).toContain('op: remove\\n  path: /spec/groups/0"')
    const kept = rule?.spec.groups[1]?.rules.map(({ alert }) => alert)
    for (const alert of ['MarketDown', 'MarketDependencyAway', 'MarketDiskFilling', 'MarketFaults'])
      expect(kept).toContain(alert)
  })
})
