import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ALL_KAFKA_TOPICS, groupOf, topicConfig } from '../../src/adapters/kafka/topics.ts'
import { readConfig } from '../../src/cli/environment.ts'
import { metricsListener } from '../../src/http/metrics.ts'
import { buildProbeApp } from '../../src/http/probe-app.ts'
import { openMetrics } from '../../src/roles/metrics.ts'
import { READINESS } from '../../src/roles/serve.ts'
import {
  type Config,
  ROLES,
  type Role,
  SECRET_VARIABLES,
  VARIABLE_NAMES,
  Variables,
} from '../../src/schemas/config.ts'
import { TOPICS } from '../../src/schemas/log.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { openTestApp } from '../support/http.ts'
import {
  AlertRules,
  DisruptionBudget,
  NetworkPolicy,
  objectsIn,
  objectsOf,
  of,
  PodMonitor,
  ScaledObject,
  variablesIn,
  Workload,
} from './manifests.ts'

const APART = ROLES.filter((role): role is Exclude<Role, 'all'> => role !== 'all')
const BASE = objectsIn('base')
const WORKLOADS = new Map(of(Workload, BASE).map((one) => [one.metadata.name, one]))
const workload = (role: string): Workload => {
  const found = WORKLOADS.get(role)
  if (!found) throw new Error(`${role} has no workload`)
  return found
}
const containerOf = (role: string) => workload(role).spec.template.spec.containers[0]!
const VERSION = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version

/** What each configuration map is made of, in every overlay. */
const FILES: Record<string, string> = {
  market: 'market.env',
  'market-chain': 'chain.env',
  'market-stores': 'stores.env',
}
const FOLDERS = { base: ['base'], example: ['base', 'overlays/example'] }
type Setting = keyof typeof FOLDERS
const SETTINGS: readonly Setting[] = ['base', 'example']

const variablesOf = (setting: Setting, maps = Object.keys(FILES)): Record<string, string> =>
  Object.assign(
    {},
    ...maps.flatMap((map) =>
      FOLDERS[setting].map((folder) => variablesIn(`${folder}/${FILES[map] ?? map}`)),
    ),
  )
const BASE_VARIABLES = variablesOf('base')

/** The configuration of a role with the secrets that its manifest can not do without. */
function configOf(role: Role, setting: Setting): Config {
  const maps = containerOf(role).envFrom.map(({ configMapRef }) => configMapRef.name)
  const secrets = containerOf(role).env.filter((one) => !one.valueFrom.secretKeyRef.optional)
  return readConfig({
    ROLE: role,
    ...variablesOf(setting, maps),
    ...Object.fromEntries(secrets.map(({ name }) => [name, 's'.repeat(32)])),
  })
}

describe.each(APART)('%s', (role) => {
  const { spec, kind } = workload(role)
  const pod = spec.template.spec
  const container = containerOf(role)

  test('is started by its role, from the image of this version', () => {
    expect(container.args).toEqual([role])
    expect(container.name).toBe(role)
    expect(container.image).toBe(`market:${VERSION}`)
    expect(spec.selector.matchLabels).toEqual({ 'app.kubernetes.io/component': role })
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels)
  })

  test.each(SETTINGS)('has a configuration that it starts with: the %s', (setting) => {
    const config = configOf(role, setting)
    expect(config.ROLE).toBe(role)
    expect(container.ports).toEqual([
      { name: 'http', containerPort: config.PORT },
      { name: 'metrics', containerPort: config.METRICS_PORT },
    ])
    expect(container.volumeMounts).toEqual([{ name: 'data', mountPath: config.DATA_DIR }])
    const volumes = [
      ...(pod.volumes ?? []),
      ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata),
    ]
    expect(volumes.map(({ name }) => name)).toEqual(['data'])
  })

  test('is given secrets of the code by their names, and no others', () => {
    const names = container.env.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const { name, valueFrom } of container.env) {
      expect(SECRET_VARIABLES, name).toContain(name)
      expect(valueFrom.secretKeyRef).toMatchObject({ name: 'market', key: name })
    }
  })

  test('is asked where it answers', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container
    expect(startupProbe.httpGet).toEqual({ path: '/livez', port: 'http' })
    expect(livenessProbe.httpGet).toEqual({ path: '/livez', port: 'http' })
    expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' })
    expect(readinessProbe.timeoutSeconds * 1_000).toBeGreaterThan(READINESS.timeoutMs)
  })

  test('is given the time that its close may take', () => {
    const source = readFileSync('src/roles/start.ts', 'utf8')
    const closeWithinMs = Number(
      /CLOSE_WITHIN_MS = ([0-9_]+)/.exec(source)?.[1]?.replaceAll('_', ''),
    )
    expect(closeWithinMs).toBeGreaterThan(0)
    const before = container.lifecycle?.preStop.sleep.seconds ?? 0
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(before + closeWithinMs / 1_000)
  })

  test('may do nothing that it need not', () => {
    expect(pod).toMatchObject({
      serviceAccountName: 'market',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
    })
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 1000,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('has a budget for disruptions', () => {
    const [budget, ...more] = of(DisruptionBudget, BASE).filter(
      ({ metadata }) => metadata.name === role,
    )
    expect(more).toEqual([])
    expect(budget?.spec).toEqual({
      maxUnavailable: 1,
      selector: { matchLabels: spec.selector.matchLabels },
    })
  })

  test('is replaced as its part of the log allows', () => {
    const how = { kind, replicas: spec.replicas, strategy: spec.strategy?.type }
    const partitions = Number(BASE_VARIABLES['ORDER_PARTITIONS'])
    switch (role) {
      case 'gateway':
        expect(how).toEqual({ kind: 'Deployment', replicas: 2, strategy: 'RollingUpdate' })
        break
      case 'actors':
        expect(how).toEqual({ kind: 'StatefulSet', replicas: 2, strategy: undefined })
        expect(spec.replicas).toBeLessThanOrEqual(partitions)
        expect(spec.volumeClaimTemplates).toHaveLength(1)
        break
      default:
        expect(how).toEqual({ kind: 'Deployment', replicas: 1, strategy: 'Recreate' })
    }
  })
})

test('there is a workload for each role and none besides', () => {
  expect([...WORKLOADS.keys()].sort()).toEqual([...APART].sort())
})

test.each(SETTINGS)('every variable of the %s is one of the service, and no secret', (setting) => {
  for (const name of Object.keys(variablesOf(setting))) {
    expect(VARIABLE_NAMES, name).toContain(name)
    expect(SECRET_VARIABLES, name).not.toContain(name)
  }
})

test('the configuration maps are made of the files that are read here', () => {
  const Maps = z.object({
    configMapGenerator: z.array(z.object({ name: z.string(), envs: z.array(z.string()) })),
  })
  for (const folder of FOLDERS.example) {
    const { configMapGenerator } = Maps.parse(objectsOf(`${folder}/kustomization.yaml`)[0])
    const made = configMapGenerator.map(({ name, envs }) => [name, envs] as const)
    expect(Object.fromEntries(made)).toEqual(
      Object.fromEntries(Object.entries(FILES).map(([name, file]) => [name, [file]])),
    )
  }
})

describe('the paths that are asked', () => {
  const server = createServer(metricsListener(new Registry()))
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => void server.close())

  const paths = [
    ...new Set(
      APART.flatMap((role) => {
        const { startupProbe, livenessProbe, readinessProbe } = containerOf(role)
        return [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)
      }),
    ),
  ]

  test.each(paths)('%s is answered by every role', async (path) => {
    const readiness = async () => ({ missing: [], degraded: [] })
    const app = buildProbeApp({ logger: pino({ level: 'silent' }), readiness, drainMs: 1 })
    expect((await app.inject(path)).statusCode).toBe(200)
    await app.close()
    const gateway = await openTestApp()
    expect((await gateway.get(path)).statusCode).toBe(200)
    await gateway.close()
  })

  test('metrics are where they are scraped', async () => {
    const [monitor] = of(PodMonitor, objectsIn('components/monitoring'))
    const [endpoint, ...more] = monitor!.spec.podMetricsEndpoints
    expect(more).toEqual([])
    expect(containerOf('gateway').ports.map(({ name }) => name)).toContain(endpoint!.port)
    const { port } = server.address() as AddressInfo
    const answer = await fetch(`http://127.0.0.1:${port}${endpoint!.path}`)
    expect(answer.status).toBe(200)
  })
})

test('alerts ask for metrics that there are', () => {
  const [rules] = of(AlertRules, objectsIn('components/monitoring'))
  const expressions = rules!.spec.groups.flatMap((group) => group.rules.map(({ expr }) => expr))
  const asked = expressions.flatMap(
    (expr) => expr.match(/\b(?:market|nodejs|process|http)_[a-z0-9_]+/g) ?? [],
  )
  expect(asked.length).toBeGreaterThanOrEqual(expressions.length)
  const known = new Set(
    openMetrics()
      .registry.getMetricsAsArray()
      .map(({ name }) => name),
  )
  // Told by a part when it runs.
  const watched = readFileSync('src/roles/actors.ts', 'utf8').matchAll(/'(market_[a-z_]+)'/g)
  for (const [, name = ''] of watched) known.add(name)
  for (const name of asked) expect(known, name).toContain(name)
})

describe('KEDA', () => {
  const scaled = of(ScaledObject, objectsIn('components/keda'))

  test('scales workloads that there are, between numbers that they allow', () => {
    for (const { spec } of scaled) {
      const { kind, spec: target } = workload(spec.scaleTargetRef.name)
      expect(spec.scaleTargetRef.kind).toBe(kind)
      expect(spec.minReplicaCount).toBeLessThanOrEqual(target.replicas)
      expect(spec.maxReplicaCount).toBeGreaterThan(target.replicas)
    }
    expect(scaled.map(({ spec }) => spec.scaleTargetRef.name)).toEqual(['actors', 'gateway'])
  })

  test('knows the group of the actors as the code names it, and its lag', () => {
    const [actors] = scaled
    const { metadata } = actors!.spec.triggers[0]!
    const partitions = Number(BASE_VARIABLES['ORDER_PARTITIONS'])
    expect(metadata['consumerGroup']).toBe(groupOf(''))
    expect(metadata['topic']).toBe(TOPICS.inbox)
    expect(metadata['bootstrapServers']).toBe(BASE_VARIABLES['KAFKA_BROKERS'])
    expect(variablesOf('example')['KAFKA_BROKERS']).toBe(BASE_VARIABLES['KAFKA_BROKERS'])
    expect(Number(metadata['activationLagThreshold'])).toBeGreaterThanOrEqual(partitions)
    expect(actors!.spec.maxReplicaCount).toBeLessThanOrEqual(partitions)
  })
})

test('the topics of the manifests are those that the service makes', () => {
  const partitions = Number(BASE_VARIABLES['ORDER_PARTITIONS'])
  const topics = objectsOf('components/kafka-topics/topics.yaml')
  const expected = ALL_KAFKA_TOPICS.map((topic) => {
    const {
      topic: name,
      numPartitions,
      configEntries,
    } = topicConfig(topic, { prefix: '', partitions })
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

describe('network policies', () => {
  const base = of(
    NetworkPolicy.extend({ spec: NetworkPolicy.shape.spec.partial() }),
    objectsOf('components/networkpolicy/policies.yaml').slice(1),
  )
  const patches = of(NetworkPolicy, objectsOf('overlays/example/network-ports.yaml'))
  const portsOf = (role: string, overlay: boolean): number[] => {
    const patch = overlay ? patches.find(({ metadata }) => metadata.name === role) : undefined
    const policy = patch ?? base.find(({ metadata }) => metadata.name === role)
    const ports = policy?.spec.egress?.flatMap(({ ports }) => ports) ?? []
    return ports.map(({ port }) => port).sort((a, b) => a - b)
  }

  test.each(SETTINGS.flatMap((setting) => APART.map((role) => [role, setting] as const)))(
    'let the %s of the %s reach what it asks, and nothing else',
    (role, setting) => {
      const config = configOf(role, setting)
      const node = [config.BITCOIN_RPC_URL, config.ASSET_INDEX_URL]
      const stores = [config.REDIS_URL, config.CLICKHOUSE_URL]
      const asked = {
        gateway: [...stores, ...node],
        ingest: [...node, ...(config.BITCOIN_ZMQ_URL ?? []), 'https://feeds'],
        actors: node,
        projector: stores,
      }[role]
      const brokers = config.KAFKA_BROKERS?.map((broker) => `kafka://${broker}`) ?? []
      const ports = [...brokers, ...asked].map((url) => portOf(url ?? ''))
      expect(portsOf(role, setting === 'example')).toEqual(
        [...new Set(ports)].sort((a, b) => a - b),
      )
    },
  )
})

function portOf(url: string): number {
  const { protocol, port } = new URL(url)
  if (port !== '') return Number(port)
  return protocol === 'https:' || protocol === 'wss:' ? 443 : 80
}

describe('the image', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8')
  const entrypoint = readFileSync('deploy/entrypoint', 'utf8')
  const standing = (name: 'PORT' | 'METRICS_PORT') => Variables.shape[name].parse(undefined)

  test('listens on the ports that the code and the manifests name', () => {
    const settings = /^ENV (.+)$/m.exec(dockerfile)?.[1]?.split(' ') ?? []
    const variables = Object.fromEntries(settings.map((setting) => setting.split('=')))
    expect(variables).toEqual({
      NODE_ENV: 'production',
      HOST: BASE_VARIABLES['HOST'],
      PORT: String(standing('PORT')),
      METRICS_PORT: String(standing('METRICS_PORT')),
      DATA_DIR: BASE_VARIABLES['DATA_DIR'],
    })
    expect(dockerfile).toContain(`EXPOSE ${standing('PORT')} ${standing('METRICS_PORT')}\n`)
    expect(dockerfile).toContain(`VOLUME ${BASE_VARIABLES['DATA_DIR']}\n`)
    expect(Number(BASE_VARIABLES['PORT'])).toBe(standing('PORT'))
    expect(Number(BASE_VARIABLES['METRICS_PORT'])).toBe(standing('METRICS_PORT'))
    expect(dockerfile).toMatch(/^HEALTHCHECK .*\\\n {2}CMD \["node", .*\/livez`/m)
  })

  test('takes every role as its argument, and no user but one without rights', () => {
    const roles = /^ {2}(?<roles>all(?: \| [a-z]+)*)\)$/m.exec(entrypoint)?.groups?.['roles']
    expect(roles?.split(' | ')).toEqual([...ROLES])
    expect(dockerfile).toMatch(/^USER 1000:1000$/m)
    expect(dockerfile).toContain('CMD ["all"]')
  })

  test.each<[given: string[], role: string, command: string]>([
    [[], 'all', 'start'],
    ...APART.map((role): [string[], string, string] => [[role], role, 'start']),
    [['audit', '--help'], 'none', 'audit --help'],
  ])('starts what its arguments %j say', (given, role, command) => {
    const { path, drop } = temporaryDirectory()
    writeFileSync(join(path, 'node'), '#!/bin/sh\necho "$ROLE $*"\n', { mode: 0o755 })
    const said = execFileSync('sh', ['deploy/entrypoint', ...given], {
      env: { PATH: `${path}:${process.env['PATH']}`, ROLE: 'none' },
      encoding: 'utf8',
    })
    expect(said).toBe(`${role} --enable-source-maps /app/dist/cli/main.js ${command}\n`)
    drop()
  })

  test('is of one pinned version of a Node that the package admits, without scripts of packages', () => {
    const [, image, version] =
      /^ARG NODE_IMAGE=(node):([0-9]+\.[0-9]+\.[0-9]+)-bookworm-slim$/m.exec(dockerfile) ?? []
    expect(image).toBe('node')
    const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
    expect(major === 20 && minor >= 19).toBe(true)
    const froms = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from)
    expect(new Set(froms)).toEqual(new Set(['$' + '{NODE_IMAGE}']))
    for (const [line] of dockerfile.matchAll(/npm ci.*/g))
      expect(line).toContain('--ignore-scripts')
  })

  test('copies files that there are, and that no rule keeps from it', () => {
    const kept = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
    const copies = [...dockerfile.matchAll(/^COPY (?:--chmod=\S+ )?(?!--from)(.+) \S+$/gm)]
    const sources = new Set(copies.flatMap(([, names = '']) => names.split(' ')))
    expect(kept.map((line) => line.slice(1)).sort()).toEqual([...sources].sort())
  })
})
