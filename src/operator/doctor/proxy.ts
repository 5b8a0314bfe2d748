import { UNREADABLE_ADDRESS_METRIC, UNTRUSTED_PROXY_METRIC } from '../../http/plugins/proxies.ts'
import { type Config, localAddress } from '../../schemas/config/config.ts'
import { type Check, type Finding, ok, warn } from './finding.ts'

const ASKED_MS = 2_000
const CURE = 'if it is a proxy, set TRUST_PROXY to its address, or to the number of chained proxies'
const CURE_UNREADABLE = 'let the proxy write the IP address of its client'

/** Does the running service know its clients apart that come through a proxy? */
export const proxyChecks = (config: Config): Check[] => [
  {
    name: 'proxy',
    needs: ['HOST', 'METRICS_PORT'],
    cure: CURE,
    look: () => proxyFindings(config),
  },
]

async function proxyFindings({ HOST, METRICS_PORT }: Config): Promise<Finding[]> {
  const address = localAddress({ HOST, PORT: METRICS_PORT })
  const metrics = await fetch(`${address}/metrics`, {
    redirect: 'error',
    signal: AbortSignal.timeout(ASKED_MS),
  })
    .then((answer) => answer.text())
    // No service is running, so none receives requests.
    .catch(() => '')
  const untrusted = countIn(metrics, UNTRUSTED_PROXY_METRIC)
  if (untrusted === null) return []
  const unreadable = countIn(metrics, UNREADABLE_ADDRESS_METRIC) ?? 0
  const found: Finding[] = []
  if (untrusted > 0) {
    const what = `${untrusted} requests had X-Forwarded-For from a private address that TRUST_PROXY does not include: their clients share one rate limit`
    found.push(warn(what, CURE))
  }
  if (unreadable > 0) {
    const what = `${unreadable} requests had something in X-Forwarded-For that is not an IP address, from a trusted proxy: their clients share one rate limit`
    found.push(warn(what, CURE_UNREADABLE))
  }
  return found.length > 0 ? found : [ok('no request came through an untrusted proxy')]
}

/** Null: there is no such metric. */
function countIn(metrics: string, name: string): number | null {
  const [, count] = new RegExp(`^${name} ([0-9]+)$`, 'm').exec(metrics) ?? []
  return count === undefined ? null : Number(count)
}
