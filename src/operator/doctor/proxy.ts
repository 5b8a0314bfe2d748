import { UNTRUSTED_PROXY_METRIC } from '../../http/plugins/proxies.ts'
import { type Config, localAddress } from '../../schemas/config/config.ts'
import { type Check, type Finding, ok, warn } from './finding.ts'

const ASKED_MS = 2_000
const CURE = 'if it is a proxy, set TRUST_PROXY to its address, or to the number of chained proxies'

/** Does the running service receive requests through an untrusted proxy? */
export const proxyChecks = (config: Config): Check[] => [
  { name: 'proxy', cure: CURE, look: () => proxyFindings(config) },
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
  const [, count] = new RegExp(`^${UNTRUSTED_PROXY_METRIC} ([0-9]+)$`, 'm').exec(metrics) ?? []
  if (count === undefined) return []
  if (count === '0') return [ok('no request came through an untrusted proxy')]
  const what = `${count} requests had X-Forwarded-For from a private address that TRUST_PROXY does not include: their clients share one rate limit`
  return [warn(what, CURE)]
}
