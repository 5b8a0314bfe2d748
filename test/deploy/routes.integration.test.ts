import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { DEFAULT_HTTP_SETTINGS, MESSAGE_PATHS } from '../../src/http/app.ts'
import { HttpRoute, Ingress, objectsIn, of, Service } from './manifests.ts'
import { BASE } from './settings.ts'

// Both ways from outside lead each path to the same Service, and to none what is for the cluster alone.

/** What answers for longer than any other: a stream of changes, a batch, and large bodies. */
const LONG: [path: string, service: string][] = [
  ['/api/market/activity/stream', 'market'],
  ['/api/market/orders/import/batch', 'market'],
  ['/api/market/stats/{name}.csv', 'market'],
  ['/api/market/stats/{name}.parquet', 'market'],
  ['/circles/snapshot', 'circles'],
]

const EXPECTED: [path: string, service: string | null][] = [
  ['/', 'market'],
  ['/console/orders', 'market'],
  ['/api/market/orders', 'market'],
  ...LONG,
  ['/pairing/agreement/900', 'pairing'],
  ['/ready', 'pairing'],
  ['/ready/900', 'pairing'],
  ['/circles/x', 'circles'],
  ['/readyz', null],
  ['/livez', null],
  ['/metrics', null],
]

interface Route {
  path: string
  /** How long an answer may take; null: none is said. */
  request: string | null
  isExact: boolean
  service: string | null
}

const routesOfGateway: Route[] = of(HttpRoute, objectsIn('components/httproute')).flatMap(
  ({ spec }) =>
    spec.rules.flatMap(({ matches, timeouts, backendRefs }) =>
      matches.map(({ path }) => ({
        request: timeouts?.request ?? null,
        path: path.value,
        isExact: path.type === 'Exact',
        service: backendRefs[0]?.name ?? null,
      })),
    ),
)

const ingresses = of(Ingress, objectsIn('components/ingress-nginx'))
const [unserved] = of(
  Service.extend({ spec: Service.shape.spec.pick({ selector: true }).partial() }),
  objectsIn('components/ingress-nginx'),
)
const routesOfIngress: Route[] = ingresses.flatMap(({ spec }) =>
  spec.rules.flatMap(({ http }) =>
    http.paths.map(({ path, pathType, backend }) => ({
      request: null,
      path,
      isExact: pathType === 'Exact',
      service: backend.service.name === unserved?.metadata.name ? null : backend.service.name,
    })),
  ),
)

/** As both rules say: an exact path first, then the longest prefix of whole segments. */
function routeOf(routes: readonly Route[], asked: string): Route | undefined {
  const matching = routes.filter(({ path, isExact }) =>
    isExact ? path === asked : path === '/' || asked === path || asked.startsWith(`${path}/`),
  )
  const rank = ({ path, isExact }: Route) => path.length + (isExact ? 1_000 : 0)
  return matching.sort((a, b) => rank(b) - rank(a))[0]
}

describe.each([
  ['httproute', routesOfGateway],
  ['ingress-nginx', routesOfIngress],
])('%s', (_, routes) => {
  test.each(EXPECTED)('leads %s to %s', (path, service) => {
    expect(routeOf(routes, path)?.service).toBe(service)
  })

  test('names Services of the base, and every path that has one of its own', () => {
    const services = of(Service, BASE).map(({ metadata }) => metadata.name)
    for (const { path, service } of routes) {
      if (service === null) continue
      expect(services).toContain(service)
      expect(MESSAGE_PATHS(path), path).toBe(service !== 'market')
    }
  })
})

test('the long answers are paths of the API', () => {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: object }
  for (const [path] of LONG) expect(Object.keys(paths)).toContain(path)
})

test('what has no pods has no selector, so that no Service finds any', () => {
  expect(unserved?.metadata.name).toBe('unserved')
  expect(unserved?.spec.selector).toBeUndefined()
})

test('no way from outside ends an answer before the service does', () => {
  const answerS = DEFAULT_HTTP_SETTINGS.timeouts.answer / 1_000
  for (const [path] of LONG) expect(routeOf(routesOfGateway, path)?.request, path).toBe('0s')
  for (const { path, request, service } of routesOfGateway) {
    if (service === null || request === '0s') continue
    const seconds = Number(/^(\d+)s$/.exec(request ?? '')?.[1])
    expect(seconds, path).toBeGreaterThan(answerS)
  }
  for (const { metadata } of ingresses) {
    const reading = Number(metadata.annotations['nginx.ingress.kubernetes.io/proxy-read-timeout'])
    expect(reading).toBeGreaterThan(answerS)
  }
})
