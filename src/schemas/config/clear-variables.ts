import { z } from 'zod'
import { hostPort, isLoopback, list, urlsIn } from './variable-kinds.ts'

/** Where a password may be sent without TLS. */
export const CLEAR_VARIABLES = {
  ALLOW_CLEAR: list
    .pipe(z.array(hostPort))
    .optional()
    .describe(
      'on mainnet: servers as host:port, comma separated, to which passwords are sent without TLS all the same, as on a network of your own; by default only to this machine',
    ),
}

/** What the rule reads of the configuration. */
interface SentInClear {
  ALLOW_CLEAR?: string[] | undefined
  BITCOIN_NETWORK: string
  KAFKA_TLS: boolean
  KAFKA_BROKERS?: string[] | undefined
  KAFKA_SASL_MECHANISM?: string | undefined
  REDIS_URL?: string | undefined
  REDIS_PASSWORD?: string | undefined
  REDIS_SENTINEL_PASSWORD?: string | undefined
  CLICKHOUSE_URL?: string | undefined
  CLICKHOUSE_PASSWORD?: string | undefined
  BITCOIN_RPC_URL?: string | undefined
  BITCOIN_RPC_PASSWORD?: string | undefined
  BITCOIN_RPC_COOKIE_FILE?: string | undefined
  ASSET_INDEX_URL?: string | undefined
  ASSET_INDEX_PASSWORD?: string | undefined
}
type Address =
  | 'KAFKA_BROKERS'
  | 'REDIS_URL'
  | 'CLICKHOUSE_URL'
  | 'BITCOIN_RPC_URL'
  | 'ASSET_INDEX_URL'

/** Each address that a login is sent to: by what it is sent, and how it is made to have TLS. */
const LOGINS: readonly (readonly [
  Address,
  logins: readonly (keyof SentInClear)[],
  cure: string,
])[] = [
  ['KAFKA_BROKERS', ['KAFKA_SASL_MECHANISM'], 'set KAFKA_TLS=true'],
  ['REDIS_URL', ['REDIS_PASSWORD', 'REDIS_SENTINEL_PASSWORD'], 'use rediss://'],
  ['CLICKHOUSE_URL', ['CLICKHOUSE_PASSWORD'], 'use https://'],
  ['BITCOIN_RPC_URL', ['BITCOIN_RPC_PASSWORD', 'BITCOIN_RPC_COOKIE_FILE'], 'use https://'],
  ['ASSET_INDEX_URL', ['ASSET_INDEX_PASSWORD'], 'use https://'],
]

/** No login goes to another machine in clear on mainnet, unless the operator names that machine. */
export function checkClearLogins(
  value: SentInClear,
  refuse: (variable: Address, message: string) => void,
): void {
  if (value.BITCOIN_NETWORK !== 'mainnet') return
  for (const [address, logins, cure] of LOGINS) {
    const login = logins.find((name) => value[name] !== undefined)
    if (!login) continue
    const clear = clearServers(value, address).filter(
      (server) => !isHere(server) && !value.ALLOW_CLEAR?.includes(server),
    )
    if (clear.length === 0) continue
    const where = clear.join(',')
    refuse(
      address,
      `logs in to another machine without TLS (${login}), which mainnet does not allow: ${cure}, or, on a network of your own, name it: ALLOW_CLEAR=${where}`,
    )
  }
}

/** The servers of an address that are asked without TLS, as host:port. */
function clearServers(value: SentInClear, address: Address): string[] {
  if (address === 'KAFKA_BROKERS') return value.KAFKA_TLS ? [] : (value.KAFKA_BROKERS ?? [])
  return urlsIn(value[address]?.split(',') ?? [])
    .filter(({ protocol }) => protocol === 'http:' || protocol === 'redis:')
    .map(({ hostname, port, protocol }) => `${hostname}:${port || USUAL_PORTS[protocol]}`)
}

const USUAL_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'redis:': '6379' }

const isHere = (server: string): boolean => isLoopback(server.replace(/:\d+$/, ''))
