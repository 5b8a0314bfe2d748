import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MEASURED, WORKLOADS as PLANS } from '../../scripts/docs/scale-units.ts'
import { metricsListener } from '../../src/http/metrics.ts'
import { buildProbeApp } from '../../src/http/probe-app.ts'
import { READINESS } from '../../src/roles/context/serve.ts'
import { SECRET_VARIABLES, VARIABLE_NAMES, Variables } from '../../src/schemas/config/config.ts'
import { openTestApp } from '../support/http/http.ts'
import { DisruptionBudget, objectsIn, of, PodMonitor, Service } from './manifests.ts'
import {
  APART,
  BASE,
  BASE_VARIABLES,
  configOf,
  containerOf,
  FILES,
  FOLDERS,
  mapsOf,
  SETTINGS,
  type Setting,
  VERSION,
  variablesOf,
  WORKLOADS,
  workload,
} from './settings.ts'

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
    expect(container.volumeMounts).toEqual([
      { name: 'data', mountPath: config.DATA_DIR },
      // Commands make temporary files; everything else is read-only.
      { name: 'tmp', mountPath: '/tmp' },
    ])
    const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata)
    const names = [...claims, ...pod.volumes].map(({ name }) => name)
    expect(names).toEqual(['data', 'tmp'])
  })

  test('is probed where it answers', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container
    expect(startupProbe.httpGet).toEqual({ path: '/livez', port: 'http' })
    expect(livenessProbe.httpGet).toEqual({ path: '/livez', port: 'http' })
    expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' })
    expect(readinessProbe.timeoutSeconds * 1_000).toBeGreaterThan(READINESS.timeoutMs)
  })

  test('gets the time that its shutdown may take', () => {
    const source = readFileSync('src/roles/start.ts', 'utf8')
    const closeWithinMs = Number(
      /CLOSE_WITHIN_MS = ([0-9_]+)/.exec(source)?.[1]?.replaceAll('_', ''),
    )
    expect(closeWithinMs).toBeGreaterThan(0)
    const before = container.lifecycle?.preStop.sleep.seconds ?? 0
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(before + closeWithinMs / 1_000)
  })

  test('has no rights that it does not need', () => {
    expect(pod).toMatchObject({
      serviceAccountName: 'market',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
    })
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      // No user of a machine.
      runAsUser: 10_001,
      runAsGroup: 10_001,
      fsGroup: 10_001,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('may fill what it is given of the disk of its machine, and is placed by what it needs', () => {
    const { requests, limits } = container.resources
    const volumes = pod.volumes.map(({ emptyDir }) => bytesOf(emptyDir.sizeLimit))
    const filled = volumes.reduce((sum, bytes) => sum + bytes, 0)
    // Its log and more.
    expect(bytesOf(limits['ephemeral-storage'])).toBeGreaterThanOrEqual(filled + 2 ** 28)
    expect(bytesOf(requests['ephemeral-storage'])).toBeLessThanOrEqual(filled)
  })

  test('has a budget for disruptions', () => {
    const [budget, ...more] = of(DisruptionBudget, BASE).filter(
      ({ metadata }) => metadata.name === role,
    )
    expect(more).toEqual([])
    expect(budget?.spec).toEqual({
      maxUnavailable: 1,
      // While all are unready, a node must still be drainable.
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: spec.selector.matchLabels },
    })
  })

  test('is replaced as its part of the log allows', () => {
    const how = { kind, replicas: spec.replicas, strategy: spec.strategy?.type }
    const partitions = Number(BASE_VARIABLES['ORDER_PARTITIONS'])
    switch (role) {
      case 'gateway':
      case 'ingest':
        expect(how).toEqual({ kind: 'Deployment', replicas: 2, strategy: 'RollingUpdate' })
        break
      case 'actors':
        expect(how).toEqual({ kind: 'StatefulSet', replicas: 2, strategy: undefined })
        expect(spec.replicas).toBeLessThanOrEqual(partitions)
        expect(spec.volumeClaimTemplates).toHaveLength(1)
        expect(spec.persistentVolumeClaimRetentionPolicy).toEqual({
          whenDeleted: 'Delete',
          whenScaled: 'Delete',
        })
        break
      case 'pairing':
      case 'circles':
        expect(how).toEqual({ kind: 'StatefulSet', replicas: 1, strategy: undefined })
        // Not ordered: a pod that cannot become ready would never be replaced.
        expect(spec.podManagementPolicy).toBe('Parallel')
        expect(spec.volumeClaimTemplates).toHaveLength(1)
        expect(spec.persistentVolumeClaimRetentionPolicy).toEqual({
          whenDeleted: 'Retain',
          whenScaled: 'Retain',
        })
        break
      default:
        expect(how).toEqual({ kind: 'Deployment', replicas: 1, strategy: 'Recreate' })
    }
  })
})

const UNITS: Record<string, number> = { Mi: 2 ** 20, Gi: 2 ** 30 }
const bytesOf = (quantity: string): number => {
  const [, amount, unit = ''] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? []
  return Number(amount) * (UNITS[unit] ?? Number.NaN)
}

describe.each(['gateway', 'actors', 'ingest'])('the several of %s', (role) => {
  const { kind, spec } = workload(role)
  const pod = spec.template.spec

  test('are spread over zones and machines, each roll-out by itself', () => {
    const revision = kind === 'Deployment' ? 'pod-template-hash' : 'controller-revision-hash'
    const common = {
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: spec.selector,
      matchLabelKeys: [revision],
    }
    expect(pod.topologySpreadConstraints).toEqual([
      { topologyKey: 'topology.kubernetes.io/zone', ...common },
      { topologyKey: 'kubernetes.io/hostname', ...common },
    ])
    const apart = pod.affinity?.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution
    expect(apart?.map(({ podAffinityTerm }) => podAffinityTerm)).toEqual([
      { topologyKey: 'kubernetes.io/hostname', labelSelector: spec.selector },
    ])
  })

  test('are replaced slowly enough for the next to serve', () => {
    expect(spec.minReadySeconds).toBeGreaterThanOrEqual(10)
  })
})

test.each(['projector', 'webhooks'])('%s, alone, leaves a lost machine after 30 s', (role) => {
  const { tolerations } = workload(role).spec.template.spec
  expect(tolerations).toEqual(
    ['unreachable', 'not-ready'].map((state) => ({
      key: `node.kubernetes.io/${state}`,
      effect: 'NoExecute',
      tolerationSeconds: 30,
    })),
  )
})

const { liveOrders, ordersADay } = PLANS[0]!
const orders = liveOrders + 2 * 365 * ordersADay

test('the memory of a gateway holds the orders of two years, and it is placed by them', () => {
  const { requests, limits } = containerOf('gateway').resources
  const bytes = orders * MEASURED.gatewayBytesOfOrder
  expect(bytes / bytesOf(requests.memory)).toBeLessThan(0.8)
  expect(bytes / bytesOf(limits.memory)).toBeLessThan(0.6)
})

test('the claim of a worker holds the orders of two years, all of them, at 70 %', () => {
  const [claim] = workload('actors').spec.volumeClaimTemplates ?? []
  const bytes = bytesOf(claim?.spec.resources.requests.storage ?? '')
  expect((orders * MEASURED.diskBytesOfSnapshot) / bytes).toBeLessThan(0.7)
  expect(bytes).toBeLessThan(Variables.shape.LMDB_MAP_GIB.parse(undefined) * 2 ** 30)
})

test('the store of ingest says that it fills before its pod is evicted', () => {
  const text = readFileSync('deploy/k8s/base/ingest.yaml', 'utf8')
  const [, gib = ''] = /name: LMDB_MAP_GIB\n +value: "(\d+)"/.exec(text) ?? expect.fail()
  const data = workload('ingest').spec.template.spec.volumes.find(({ name }) => name === 'data')
  expect(Number(gib) * 2 ** 30).toBeLessThan(bytesOf(data?.emptyDir.sizeLimit ?? ''))
})

test('there is a workload for each role and no other', () => {
  expect([...WORKLOADS.keys()].sort()).toEqual([...APART].sort())
})

test.each(Object.keys(FOLDERS) as Setting[])(
  'every variable of the %s is one of the service, and no secret',
  (setting) => {
    for (const name of Object.keys(variablesOf(setting))) {
      expect(VARIABLE_NAMES, name).toContain(name)
      expect(SECRET_VARIABLES, name).not.toContain(name)
    }
  },
)

test.each(['example', 'pairing-b'] as const)(
  'the %s trusts proxies, and no network of pods',
  (setting) => {
    expect(variablesOf(setting)['TRUST_PROXY']).toMatch(/^[1-9]$/)
  },
)

test('the configuration maps of base and example are made from one file each', () => {
  const files = Object.fromEntries(Object.entries(FILES).map(([name, file]) => [name, [file]]))
  for (const folder of FOLDERS.example) expect(mapsOf(folder)).toEqual(files)
})

test.each(['gateway', 'pairing', 'circles'])('%s is reached on port 80', (role) => {
  const selector = workload(role).spec.selector.matchLabels
  const [service, ...more] = of(Service, BASE).filter(
    ({ spec }) => JSON.stringify(spec.selector) === JSON.stringify(selector),
  )
  expect(more).toEqual([])
  expect(service?.spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }])
})

test.each(APART.filter((role) => workload(role).kind === 'StatefulSet'))(
  'the set of %s names its own service',
  (role) => {
    expect(workload(role).spec.serviceName).toBe(role)
    expect(of(Service, BASE).map(({ metadata }) => metadata.name)).toContain(role)
  },
)

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
