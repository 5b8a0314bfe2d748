import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { ALL_KAFKA_TOPICS, orderGroupOf } from '../../src/adapters/kafka/client/names.ts'
import { topicConfig } from '../../src/adapters/kafka/topics/topics.ts'
import { topicPartitionsOf } from '../../src/adapters/log/topic-partitions.ts'
import { problemOfUrl } from '../../src/domain/webhooks/webhook-url.ts'
import { WITHHELD_CAUSES } from '../../src/pairing/agreement/withheld.ts'
import { openMetrics } from '../../src/roles/observe/metrics.ts'
import { Variables } from '../../src/schemas/config/config.ts'
import { LOG_SCHEMA, TOPICS } from '../../src/schemas/log.ts'
import { filesBelow } from '../support/tree.ts'
import { AlertRules, NetworkPolicy, objectsIn, objectsOf, of, ScaledObject } from './manifests.ts'
import {
  APART,
  BASE_VARIABLES,
  configOf,
  FOLDERS,
  SETTINGS,
  type Setting,
  variablesOf,
  workload,
} from './settings.ts'

/** What a kustomization changes by itself. */
const Patched = z.object({
  namespace: z.string().optional(),
  resources: z.array(z.string()).optional(),
  patches: z.array(
    z.object({
      target: z.object({ kind: z.string(), name: z.string().optional() }).optional(),
      patch: z.string().optional(),
    }),
  ),
})

const PodPatch = z.object({ op: z.string(), path: z.string(), value: z.string() })
const PriorityClass = z.object({
  kind: z.literal('PriorityClass'),
  metadata: z.object({ name: z.string() }),
  value: z.number().max(1_000_000_000),
})

const Named = z.object({ kind: z.string(), metadata: z.object({ name: z.string() }) })

test('alerts use existing metrics', () => {
  const rules = of(AlertRules, objectsIn('components/monitoring'))
  const expressions = rules.flatMap(({ spec }) =>
    spec.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
  )
  const asked = expressions.flatMap(
    (expr) => expr.match(/\b(?:market|nodejs|process|http)_[a-z0-9_]+/g) ?? [],
  )
  expect(asked.length).toBeGreaterThanOrEqual(expressions.length)
  const known = new Set([
    'up',
    ...openMetrics()
      .registry.getMetricsAsArray()
      .map(({ name }) => name),
  ])
  const parts = ['src/roles', 'src/http'].flatMap((folder) => filesBelow(folder))
  for (const file of parts) {
    const named = readFileSync(file, 'utf8').matchAll(/'(market_[a-z_]+)'/g)
    for (const [, name = ''] of named) known.add(name)
  }
  const folds = ['pairing', 'circles']
  const ofFolds = readFileSync('src/roles/parts/run-fold.ts', 'utf8').matchAll(
    /`market_\$\{name\}_([a-z_]+)`/g,
  )
  for (const [, rest = ''] of ofFolds) for (const fold of folds) known.add(`market_${fold}_${rest}`)
  for (const name of asked) expect(known, name).toContain(name.replace(/_count$/, ''))
})

test('alerts name outcomes and lags as the code does', () => {
  const rules = of(AlertRules, objectsIn('components/monitoring')).flatMap(({ spec }) =>
    spec.groups.flatMap((group) => group.rules),
  )
  const expressionOf = (name: string) => rules.find(({ alert }) => alert === name)?.expr ?? ''
  const [, outcomes = ''] =
    /outcome!~"([a-z_|]+)"/.exec(expressionOf('MarketPairingWithheld')) ?? []
  const causes: readonly string[] = ['verified', ...WITHHELD_CAUSES]
  expect(outcomes.split('|')).toEqual(['verified', 'mainnet_gate_closed'])
  for (const outcome of outcomes.split('|')) expect(causes).toContain(outcome)
  const lag = Variables.shape.PAIRING_MAX_BLOCK_LAG.parse(undefined)
  for (const name of ['MarketPairingBehind', 'MarketCirclesBehind'])
    expect(expressionOf(name)).toMatch(new RegExp(` > ${lag}$`))
})

/** What an overlay writes into the rules. */
const Replacements = z.array(
  z.object({ targets: z.array(z.object({ fieldPaths: z.array(z.string()) })) }),
)

test.each([
  ['example', ['market', 'pairing', 'circles']],
  ['pairing-b', ['pairing']],
])('in the %s alerts about what is absent look in their own namespace', (overlay, kept) => {
  const absent = of(AlertRules, objectsIn('components/monitoring')).flatMap(({ metadata, spec }) =>
    spec.groups.flatMap(({ name, rules }) =>
      rules
        .filter(({ expr }) => kept.includes(metadata.name) && expr.startsWith('absent('))
        .map(({ alert, expr }) => {
          expect(expr, alert).toMatch(/^absent\(\w+\{namespace=~"\.\*"/)
          return `spec.groups.[name=${name}].rules.[alert=${alert}]`
        }),
    ),
  )
  expect(absent.length).toBeGreaterThan(0)
  const [replaced] = objectsOf(`overlays/${overlay}/own-namespace.yaml`)
  const paths = Replacements.parse(replaced).flatMap(({ targets }) =>
    targets.flatMap(({ fieldPaths }) => fieldPaths),
  )
  expect(paths.toSorted()).toEqual(
    absent.flatMap((rule) => [`${rule}.expr`, `${rule}.labels.namespace`]).toSorted(),
  )
})

describe.each(['pairing', 'circles'])('without %s', (name) => {
  const [component] = objectsOf(`components/without-${name}/kustomization.yaml`)
  const removed = Patched.parse(component).patches.map(({ target }) => target)

  test('nothing is left that starts it, leads to it or misses it', () => {
    const ofIt = [
      'base',
      'components/httproute',
      'components/ingress-nginx',
      'components/monitoring',
    ]
      .flatMap((folder) => objectsIn(folder))
      .map((object) => Named.safeParse(object).data)
      .filter((object) => object?.metadata.name === name)
    expect(new Set(removed[0]?.kind.slice(1, -1).split('|'))).toEqual(
      new Set(ofIt.map((object) => object?.kind)),
    )
    expect(removed).toEqual([
      { kind: removed[0]?.kind, name },
      { kind: 'KafkaUser', name: `market-${name}` },
    ])
  })

  test('no other object leads to it', () => {
    const others = ['components/httproute', 'components/ingress-nginx']
      .flatMap((folder) => objectsIn(folder))
      .filter((object) => Named.safeParse(object).data?.metadata.name !== name)
    expect(JSON.stringify(others)).not.toContain(`"name":"${name}"`)
  })
})

test('the priority component gives every workload the class that it makes, and nothing names another', () => {
  const classes = objectsIn('components/priority')
    .map((object) => PriorityClass.safeParse(object).data?.metadata.name)
    .filter((name) => name !== undefined)
  expect(classes).toEqual(['market'])
  const [component] = objectsOf('components/priority/kustomization.yaml')
  const { patches, resources } = Patched.parse(component)
  expect(resources).toEqual(['priority-class.yaml'])
  const [{ target, patch = '' } = {}] = patches
  const [added] = z.array(PodPatch).length(1).parse(parse(patch))
  expect(added).toEqual({
    op: 'add',
    path: '/spec/template/spec/priorityClassName',
    value: 'market',
  })
  const kinds = new RegExp(`^(?:${target?.kind})$`)
  for (const role of APART) expect(workload(role).kind).toMatch(kinds)
  for (const file of filesBelow('deploy/k8s').filter((path) => path.endsWith('.yaml')))
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/priorityClassName: *(\S+)/g))
      expect(classes, file).toContain(name)
})

describe('KEDA', () => {
  const scaled = of(ScaledObject, objectsIn('components/keda'))

  test('scales existing workloads, between numbers that they allow', () => {
    for (const { spec } of scaled) {
      const { kind, spec: target } = workload(spec.scaleTargetRef.name)
      expect(spec.scaleTargetRef.kind).toBe(kind)
      expect(spec.minReplicaCount).toBeLessThanOrEqual(target.replicas)
      expect(spec.maxReplicaCount).toBeGreaterThan(target.replicas)
    }
    expect(scaled.map(({ spec }) => spec.scaleTargetRef.name)).toEqual(['actors', 'gateway'])
  })

  test('names the actors’ group and its lag as the code does', () => {
    const [actors] = scaled
    const { metadata } = actors!.spec.triggers[0]!
    const partitions = Number(BASE_VARIABLES['ORDER_PARTITIONS'])
    expect(metadata['consumerGroup']).toBe(orderGroupOf(''))
    expect(metadata['topic']).toBe(TOPICS.inbox)
    expect(metadata['bootstrapServers']).toBe(BASE_VARIABLES['KAFKA_BROKERS'])
    expect(Number(metadata['activationLagThreshold'])).toBeGreaterThanOrEqual(partitions)
    expect(actors!.spec.maxReplicaCount).toBeLessThanOrEqual(partitions)
  })
})

describe('with KEDA', () => {
  const patchesOf = (folder: string) =>
    Patched.parse(objectsOf(`${folder}/kustomization.yaml`)[0]).patches.flatMap(
      ({ target, patch }) => (target && patch ? { target, changes: parse(patch) as unknown } : []),
    )

  test('no manifest has a number of replicas, which an apply would set again', () => {
    expect(patchesOf('components/keda')).toEqual([
      {
        target: { kind: '(Deployment|StatefulSet)', name: '(gateway|actors)' },
        changes: [{ op: 'remove', path: '/spec/replicas' }],
      },
    ])
  })

  test('the example names the brokers as they are called in another namespace', () => {
    const [host, port] = variablesOf('example')['KAFKA_BROKERS']?.split(':') ?? []
    const { namespace } = Patched.parse(objectsOf('overlays/example/kustomization.yaml')[0])
    expect(patchesOf('overlays/example')).toEqual([
      {
        target: { kind: 'ScaledObject', name: 'actors' },
        changes: [
          {
            op: 'replace',
            path: '/spec/triggers/0/metadata/bootstrapServers',
            value: `${host}.${namespace}.svc:${port}`,
          },
        ],
      },
    ])
  })
})

test('the topics of the manifests are those that the service creates', () => {
  const partitions = Number(BASE_VARIABLES['ORDER_PARTITIONS'])
  const topics = objectsOf('components/kafka-topics/topics.yaml')
  const expected = ALL_KAFKA_TOPICS.map((topic) => {
    // As a log of 0.9 needs them until its upgrade is finished (ADR 119).
    const {
      topic: name,
      numPartitions,
      configEntries,
    } = topicConfig(topic, { prefix: '', partitions, schema: LOG_SCHEMA })
    const rules = configEntries?.map((entry) => [entry.name, entry.value]) ?? []
    return {
      apiVersion: 'kafka.strimzi.io/v1',
      kind: 'KafkaTopic',
      metadata: {
        name,
        labels: { 'app.kubernetes.io/name': 'market', 'strimzi.io/cluster': 'kafka' },
      },
      spec: {
        partitions: numPartitions,
        replicas: 3,
        config: Object.fromEntries([['min.insync.replicas', '2'], ...rules]),
      },
    }
  })
  const asText = JSON.stringify(topics, (key, value: unknown) =>
    typeof value === 'number' && key.includes('.') ? String(value) : value,
  )
  expect(JSON.parse(asText)).toEqual(expected)
})

test('the docs say how many topics have the partitions of the orders', () => {
  const partitions = Number(BASE_VARIABLES['ORDER_PARTITIONS'])
  const divided = ALL_KAFKA_TOPICS.filter((topic) => topicPartitionsOf(topic, partitions) > 1)
  const names = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven']
  const docs = readFileSync('docs/kubernetes.md', 'utf8')
  expect(docs).toContain(`the ${names[divided.length]} topics of ${partitions} partitions`)
})

/** The ports of webhooks: one, and the first and last of the others. */
const RECEIVERS = ['', ':1024', ':65535'].map((port) => `https://shop.example${port}/`)

describe('network policies', () => {
  const base = of(
    NetworkPolicy.extend({ spec: NetworkPolicy.shape.spec.partial() }),
    objectsOf('components/networkpolicy/policies.yaml').slice(1),
  )
  const portsOf = (role: string, setting: Setting): number[] => {
    const [, overlay] = FOLDERS[setting]
    const patches = overlay ? of(NetworkPolicy, objectsOf(`${overlay}/network-ports.yaml`)) : []
    const patch = patches.find(({ metadata }) => metadata.name === role)
    const policy = patch ?? base.find(({ metadata }) => metadata.name === role)
    const ports = policy?.spec.egress?.flatMap(({ ports }) => ports) ?? []
    return ports
      .flatMap(({ port, endPort }) => (endPort ? [port, endPort] : [port]))
      .sort((a, b) => a - b)
  }

  const cases = SETTINGS.flatMap((setting) => APART.map((role) => [role, setting] as const))
  test.each([...cases, ['pairing', 'pairing-b'] as const])(
    'let the %s of the %s reach what it queries, and nothing else',
    (role, setting) => {
      const config = configOf(role, setting)
      const node = [config.BITCOIN_RPC_URL, config.ASSET_INDEX_URL]
      const stores = [config.REDIS_URL, config.CLICKHOUSE_URL]
      const blocks = [config.BITCOIN_RPC_URL, ...(config.BITCOIN_ZMQ_URL ?? [])]
      const history = config.CLICKHOUSE_URL ? [config.CLICKHOUSE_URL] : []
      const asked = {
        gateway: [...stores, ...node],
        ingest: [...node, ...(config.BITCOIN_ZMQ_URL ?? []), 'https://feeds'],
        actors: node,
        projector: stores,
        webhooks: [config.REDIS_URL, ...RECEIVERS],
        pairing: [...blocks, ...history, config.PAIRING_B_URL ?? 'https://the-other'],
        circles: blocks,
      }[role]
      const brokers = config.KAFKA_BROKERS?.map((broker) => `kafka://${broker}`) ?? []
      const ports = [...brokers, ...asked].map((url) => portOf(url ?? ''))
      expect(portsOf(role, setting)).toEqual([...new Set(ports)].sort((a, b) => a - b))
    },
  )
})

test('webhooks may be at the ports that their policy opens, and at no other', () => {
  for (const url of RECEIVERS) expect(problemOfUrl(url, false)).toBeNull()
  for (const port of [80, 442, 444, 1023])
    expect(problemOfUrl(`https://shop.example:${port}/`, false)).toContain('must be at port')
})

function portOf(url: string): number {
  const { protocol, port } = new URL(url)
  if (port !== '') return Number(port)
  return protocol === 'https:' || protocol === 'wss:' ? 443 : 80
}
