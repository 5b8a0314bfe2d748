import { readFileSync } from 'node:fs'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { backoffMs } from '../../../runtime/backoff.ts'
import type { RedisCommands } from './connection.ts'
import { RedisRefusedError } from './errors.ts'

export interface RedisAddress {
  /**
   * `redis://…` or `rediss://…`; several, separated by commas: servers of a cluster, any of which
   * name the others. With `sentinels`: one or several of these, which name the primary.
   */
  url: string
  user?: string | undefined
  password?: string | undefined
  sentinels?: Sentinels | undefined
  /** A file (PEM) of the authorities that sign the certificates of servers. Absent: Node's own. */
  ca?: string | undefined
}

export interface Sentinels {
  /** The name by which they know the primary. */
  name: string
  /** The login to them. */
  user?: string | undefined
  password?: string | undefined
}

interface ServerAddress {
  host: string
  port: number
}

const COMMAND_MS = 2_000
const BRIEF_MS = 3_000
export const CONNECT_MS = 5_000
const RECONNECT = { firstMs: 50, lastMs: 1_000 } as const
/** Which server of a cluster has which keys is asked this often, besides whenever one says otherwise. */
const SLOTS_MS = 3_000
/** Servers that a command is led to, one after another, while keys move. */
const MAX_REDIRECTIONS = 4
const DEFAULT_PORT = 6_379

/** Does the address name a cluster? */
export const isCluster = ({ url, sentinels }: Pick<RedisAddress, 'url' | 'sentinels'>): boolean =>
  sentinels === undefined && url.includes(',')

/**
 * A connection for commands: each fails fast, and none is ever sent twice. It is connected again, its
 * name looked up or the sentinels asked each time, while `isInUse`.
 */
export const commandsClient = (address: RedisAddress, isInUse: () => boolean): Redis =>
  serverClient(address, {
    ...optionsOf(address),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => (isInUse() ? retryMs(times) : null),
  })

/**
 * Connections for commands to every server of a cluster. Only a command that was not run, because its
 * keys are elsewhere, is sent again. The names are looked up each time; a server that is lost is
 * connected again once the others name it.
 */
export const clusterClient = (
  address: RedisAddress,
  { isRetried = true, commandMs = COMMAND_MS } = {},
): Cluster =>
  new Cluster(serversOf(address), {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    maxRedirections: MAX_REDIRECTIONS,
    slotsRefreshTimeout: COMMAND_MS,
    ...(isRetried && { slotsRefreshInterval: SLOTS_MS }),
    clusterRetryStrategy: (times) => (isRetried ? retryMs(times) : null),
    // Looked up by the connection itself, which a certificate's name must match.
    dnsLookup: (name, done) => done(null, name),
    redisOptions: { ...optionsOf(address, commandMs), maxRetriesPerRequest: 0 },
  })

/** Connections for the commands of one check: a server that is not there is not waited for. */
export const briefClient = (address: RedisAddress): RedisCommands =>
  isCluster(address)
    ? clusterClient(address, { isRetried: false, commandMs: BRIEF_MS })
    : serverClient(address, {
        ...optionsOf(address, BRIEF_MS),
        connectTimeout: BRIEF_MS,
        maxRetriesPerRequest: 0,
        retryStrategy: () => null,
      })

/**
 * A connection that listens, and is connected again until it is closed. The caller subscribes at
 * each `ready`: ioredis would subscribe unawaited, and a subscription that fails would end the
 * process.
 */
export const listenerClient = (address: RedisAddress): Redis =>
  serverClient(address, {
    ...optionsOf(address),
    ...LISTENING,
    retryStrategy: retryMs,
  })

/**
 * A listener at any server of a cluster: each server hears what is published at another. `known`:
 * the servers that are of the cluster now.
 */
export function clusterListenerClient(
  address: RedisAddress,
  known: () => readonly RedisOptions[],
): Redis {
  const named = serversOf(address)
  const anyOf = <T>(servers: readonly T[]) => servers[Math.floor(Math.random() * servers.length)]
  const redis = new Redis({
    ...optionsOf(address),
    ...LISTENING,
    ...anyOf(named),
    retryStrategy: (times) => {
      const { host, port } = anyOf(known()) ?? anyOf(named) ?? {}
      Object.assign(redis.options, { host, port })
      return retryMs(times)
    },
  })
  return redis
}

/** Ends a connection once what was sent has been answered, or was not in time. */
export function letGo(redis: Redis): void {
  redis
    .quit()
    .catch(() => undefined)
    .finally(() => redis.disconnect())
}

const LISTENING = { maxRetriesPerRequest: null, autoResubscribe: false } as const

const retryMs = (times: number): number => backoffMs(times, RECONNECT)

/** A connection to the server of the address, or to the primary that its sentinels name. */
function serverClient(address: RedisAddress, options: RedisOptions): Redis {
  const { url, sentinels } = address
  if (!sentinels) return new Redis(url, options)
  const { name, user, password } = sentinels
  const { tls } = options
  return new Redis({
    ...options,
    ...{ sentinels: serversOf(address), name, role: 'master' },
    ...(user === undefined ? {} : { sentinelUsername: user }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
    sentinelCommandTimeout: COMMAND_MS,
    sentinelRetryStrategy: (times) => options.retryStrategy?.(times) ?? null,
    ...(tls ? { sentinelTLS: tls, enableTLSForSentinelMode: true } : {}),
  })
}

function optionsOf(address: RedisAddress, commandMs: number = COMMAND_MS): RedisOptions {
  const { user, password } = address
  const tls = tlsOf(address)
  return {
    lazyConnect: true,
    autoResendUnfulfilledCommands: false,
    commandTimeout: commandMs,
    connectTimeout: CONNECT_MS,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls } : {}),
  }
}

const serversOf = ({ url }: RedisAddress): ServerAddress[] =>
  url.split(',').map((one) => {
    const { hostname, port } = new URL(one)
    // An IPv6 address without its brackets.
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) }
  })

function tlsOf({ url, ca }: Pick<RedisAddress, 'url' | 'ca'>): { ca?: Buffer } | null {
  if (!url.startsWith('rediss:')) return null
  if (ca === undefined) return {}
  try {
    return { ca: readFileSync(ca) }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new RedisRefusedError(`REDIS_TLS_CA_FILE=${ca} cannot be read (${code})`)
  }
}
